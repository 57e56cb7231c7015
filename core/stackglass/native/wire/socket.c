/* The socket's file may be opened only by its owner. It gets its mode from the descriptor (fchmod
 * before bind), so it is never open to other users, whatever the umask is. If a system call filter
 * may forbid fchmod, only the directory (0700) keeps other users out.
 *
 * An existing file is replaced only if a connection to it is refused, so that a listening socket is
 * never taken over. The user of a connection is read from the kernel (SO_PEERCRED). */
#include "wire/socket.h"
#include "platform/fd_table.h"
#include "platform/permitted_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 8 };

bool sg_socket_find_file(const char *path, struct sg_socket_file *file) {
    struct stat found;
    /* Uses the system call, because libraries before glibc 2.33 have no symbol `stat`. */
    if (syscall(SYS_newfstatat, AT_FDCWD, path, &found, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    *file = (struct sg_socket_file){found.st_dev, found.st_ino};
    return true;
}

static int open_socket(void) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static int is_stale(const struct sockaddr_un *address) {
    int probe = open_socket();
    int refused = probe >= 0 &&
                  connect(probe, (const struct sockaddr *)address, sizeof *address) != 0 &&
                  errno == ECONNREFUSED;
    if (probe >= 0)
        close(probe);
    return refused;
}

static int bind_to(int descriptor, const struct sockaddr_un *address) {
    if (sg_permitted_calls_may(SG_CALL_OTHERS))
        fchmod(descriptor, S_IRUSR | S_IWUSR);
    if (!bind(descriptor, (const struct sockaddr *)address, sizeof *address))
        return 0;
    int failed = -errno;
    if (failed != -EADDRINUSE || !sg_permitted_calls_may(SG_CALL_OTHERS) || !is_stale(address))
        return failed;
    unlink(address->sun_path);
    return bind(descriptor, (const struct sockaddr *)address, sizeof *address) ? -errno : 0;
}

int sg_socket_listen(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    int descriptor = open_socket();
    if (descriptor < 0)
        return -errno;
    int failed = bind_to(descriptor, &address);
    if (!failed && listen(descriptor, BACKLOG))
        failed = -errno;
    if (!failed)
        return sg_fd_table_keep(descriptor);
    close(descriptor);
    return failed;
}

void sg_socket_unlisten(int descriptor, const char *path) {
    unlink(path); /* first: a socket file always has a listener */
    sg_fd_table_close(descriptor);
}

static int may_enter(int descriptor, long uid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size))
        return 0;
    return peer.uid == 0 || peer.uid == geteuid() || (uid >= 0 && peer.uid == (uid_t)uid);
}

int sg_socket_accept(int listener, long uid) {
    for (;;) {
        int descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (descriptor < 0 || may_enter(descriptor, uid))
            return descriptor < 0 ? -errno : sg_fd_table_keep(descriptor);
        close(descriptor);
    }
}

int sg_socket_connect(const struct sockaddr_un *address, socklen_t size) {
    int descriptor = open_socket();
    if (descriptor < 0)
        return -errno;
    if (!connect(descriptor, (const struct sockaddr *)address, size))
        return sg_fd_table_keep(descriptor);
    int failed = -errno;
    close(descriptor);
    return failed;
}

static ssize_t judge(ssize_t moved) {
    if (moved >= 0)
        return moved;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
}

ssize_t sg_socket_send(int descriptor, const void *bytes, size_t size) {
    return judge(send(descriptor, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT));
}

ssize_t sg_socket_receive(int descriptor, void *bytes, size_t size) {
    ssize_t moved = recv(descriptor, bytes, size, MSG_DONTWAIT);
    return moved == 0 ? -1 : judge(moved); /* 0 bytes: the end of the stream */
}
