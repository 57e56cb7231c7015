/* The end of a withdrawal in which another thread takes the slot of requests at once, as it may
 * from the moment on in which the withdrawal is finished.
 *
 * The program's next request is for a rate whose hooks were refused long ago: whoever takes it for
 * the one that was just finished can answer it. Prints how many requests were answered, and how
 * many were withdrawn. */
#include <stdio.h>

#include "agent/control.h"
#include "agent/program_control.h"
#include "agent/program_requests.h"
#include "agent/rate_control.h"
#include "gil/sampling.h"
#include "platform/fd_table.h"
#include "wire/socket.h"

static struct sg_program_request slot = {.kind = SG_PROGRAM_WITHDRAW};
static int n_answered, n_withdrawn;

const struct sg_program_request *sg_program_request_current(void) { return &slot; }

bool sg_program_request_finish(const char *problem) {
    n_answered++;
    slot =
        (struct sg_program_request){.kind = SG_PROGRAM_SET_RATE, .rate = SG_RATE_HEAP, .value = 1};
    return true;
}

void sg_rate_control_request_own(struct sg_writer *writer, struct sg_client *client,
                                 enum sg_rate rate, uint64_t value) {
    n_withdrawn += !value;
}

/* What the end of a withdrawal does not call. */
const struct sg_program_request *sg_program_request_take(void) { return NULL; }
struct sg_client *sg_control_greet(struct sg_writer *writer, int descriptor, bool is_first) {
    return NULL;
}
struct sg_client *sg_clients_add(struct sg_clients *clients, int descriptor) {
    return NULL;
}
void sg_client_give_up(struct sg_client *client) {}
void sg_control_keep_waiting(struct sg_writer *writer, bool had_any) {}
int sg_socket_connect(const struct sockaddr_un *address, socklen_t size) { return -1; }
void sg_fd_table_close(int descriptor) {}
void sg_gil_sampling_status(struct sg_gil_status *status) {}
const char *sg_cpu_watch_problem(void) { return ""; }

int main(void) {
    static struct sg_client keeper = {.stage = SG_CLIENT_WATCHING, .is_quiet = true};
    static struct sg_writer writer = {.phase = PROFILING,
                                      .heap = {.state = SG_HOOK_REFUSED, .problem = "refused"}};
    writer.clients.at[writer.clients.n++] = &keeper;
    sg_program_control_settle(&writer);
    printf("%d %d\n", n_answered, n_withdrawn);
    return 0;
}
