/* A client that finds no file of the engine's socket enters the process again, and offers a socket.
 * The engine may listen all the same: others can remove the file, as the system does with a user's
 * whole directory for sockets at the last logout. So the engine compares the file at its path with
 * the one that it has made. */
#include "agent/listener.h"

#include <string.h>

#include "agent/lifecycle.h"
#include "agent/rate_control.h"
#include "platform/failure.h"
#include "platform/fd_table.h"
#include "platform/time.h"
#include "wire/socket.h"

bool sg_listener_open(struct sg_writer *writer) {
    const char *path = writer->arguments.socket;
    writer->listener = sg_socket_listen(path);
    if (writer->listener < 0) {
        sg_failure_set(SG_FAILURE_SOCKET, -writer->listener);
        return false;
    }
    if (!sg_socket_find_file(path, &writer->listener_file))
        memset(&writer->listener_file, 0, sizeof writer->listener_file); /* is no file's */
    return true;
}

/* Whether a client can reach the listener. */
static bool is_reachable(const struct sg_writer *writer) {
    const struct sg_socket_file *own = &writer->listener_file;
    struct sg_socket_file found;
    return writer->listener >= 0 && sg_socket_find_file(writer->arguments.socket, &found) &&
           found.device == own->device && found.inode == own->inode;
}

void sg_listener_take_offer(struct sg_writer *writer) {
    struct sg_arguments late;
    if (!sg_lifecycle_take_socket(&late) || writer->phase > PROFILING || is_reachable(writer))
        return;
    if (writer->listener >= 0)
        sg_fd_table_close(writer->listener);
    memcpy(writer->arguments.socket, late.socket, sizeof late.socket);
    writer->arguments.uid = late.uid;
    sg_rate_control_start(writer, &late);
    sg_listener_open(writer);
    writer->begun_ns = sg_time_mono_ns();
    writer->listen_again_ns = 0;
    writer->is_unreachable = false;
}
