/* A request for a rate that the program gives up: the engine gets the GIL after the program has
 * stopped waiting for it, and then installs the hooks without a problem.
 *
 * Prints, for a program without rates and for one that has another rate: whether the request
 * succeeded, the rate at the end, and whether the program's client still keeps the engine. */
#include <stdio.h>
#include <string.h>

#include "agent/control.h"
#include "agent/program_control.h"
#include "agent/program_requests.h"
#include "agent/rate_control.h"
#include "cpu/cpu.h"
#include "gil/sampling.h"
#include "platform/fd_table.h"
#include "platform/time.h"
#include "wire/socket.h"

#define MORE_THAN_ANY_PATIENCE_NS (UINT64_C(60) * 1000 * 1000 * 1000)

static struct sg_writer writer;
static struct sg_client keeper;
static uint64_t now_ns;
static uint64_t rate_in_force;

uint64_t sg_time_clock_ns(clockid_t clock) { return now_ns; }

struct sg_client *sg_clients_add(struct sg_clients *clients, int descriptor) {
    clients->at[clients->n++] = &keeper;
    return &keeper;
}

void sg_client_give_up(struct sg_client *client) { client->stage = SG_CLIENT_GONE; }

void sg_rate_control_request_own(struct sg_writer *served, struct sg_client *client,
                                 enum sg_rate rate, uint64_t value) {
    rate_in_force = value;
    if (value)
        served->locks.state = SG_HOOK_WANTED;
}

/* Called by the program once it has posted the request. The writer takes it; the program's time is
 * over before the GIL comes free. */
static int take_and_wait(const struct sg_arguments *arguments) {
    sg_program_control_take(&writer);
    now_ns += MORE_THAN_ANY_PATIENCE_NS;
    return 1;
}

/* What this does not call, or what does nothing here. */
void sg_lifecycle_notify(void) {}
uint32_t sg_lifecycle_count(void) { return 0; }
void sg_lifecycle_wait(uint32_t seen, int64_t timeout_ns) {}
void sg_lifecycle_wait_while_leaving(void) {}
const char *sg_lifecycle_explain_begin(int failed) { return ""; }
struct sg_client *sg_control_greet(struct sg_writer *served, int descriptor, bool is_first) {
    return NULL;
}
void sg_control_keep_waiting(struct sg_writer *served, bool had_any) {}
int sg_socket_connect(const struct sockaddr_un *address, socklen_t size) { return -1; }
void sg_fd_table_close(int descriptor) {}
void sg_gil_sampling_status(struct sg_gil_status *status) {}
const char *sg_cpu_watch_problem(void) { return ""; }

static void give_up_request(bool has_other_rate) {
    const struct sg_program_request request = {
        .kind = SG_PROGRAM_SET_RATE, .rate = SG_RATE_BLOCK, .value = 1};
    char problem[SG_PROGRAM_PROBLEM_BYTES];
    memset(&writer, 0, sizeof writer);
    writer.phase = PROFILING;
    writer.listener = -1;
    keeper = (struct sg_client){.stage = SG_CLIENT_WATCHING, .is_quiet = true};
    if (has_other_rate)
        sg_clients_add(&writer.clients, -1);
    bool is_done = sg_program_request_do(take_and_wait, &request, problem);
    writer.locks.state = SG_HOOK_ON;
    sg_program_control_settle(&writer);
    printf("%d %d %d\n", is_done, (int)rate_in_force, keeper.stage == SG_CLIENT_WATCHING);
}

int main(void) {
    give_up_request(false);
    give_up_request(true);
    return 0;
}
