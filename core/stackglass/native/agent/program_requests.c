/* One slot for a request. The thread that last changed `state` owns the slot.
 *
 *     the program   NONE ─▶ CLAIMED: fills the slot ─▶ POSTED …………… DONE: reads the result ─▶ NONE
 *     the writer                                         └─▶ TAKEN: executes it ─▶ DONE
 *     too late      the program: POSTED ─▶ NONE, TAKEN ─▶ ABANDONED; the writer: ABANDONED ─▶ NONE
 *
 * A move that two threads may want at once is a compare-and-swap, so one of them wins. Sleepers
 * wait for the count of changes in lifecycle.h. */
#include "agent/program_requests.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/lifecycle.h"
#include "frames/stack_depth.h"
#include "platform/permitted_calls.h"
#include "platform/time.h"

enum { TURN_NS = 20 * 1000 * 1000, BACKLOG = 8 };
static const int64_t PATIENCE_NS = INT64_C(20) * 1000 * 1000 * 1000;

enum { NONE, CLAIMED, POSTED, TAKEN, ABANDONED, DONE };

static _Atomic int state; /* lock-free */
/* Owned by the thread that changed the state to CLAIMED, until it is POSTED. */
static struct sg_program_request slot;
/* Owned by the thread that changed the state to DONE; "" = success. */
static char refusal[SG_PROGRAM_PROBLEM_BYTES];

static _Atomic uint32_t stack_depth = SG_STACK_DEPTH_DEFAULT; /* lock-free */

static bool move(int from, int to) { return atomic_compare_exchange_strong(&state, &from, to); }

bool sg_program_request_is_posted(void) { return atomic_load(&state) == POSTED; }

const struct sg_program_request *sg_program_request_take(void) {
    return move(POSTED, TAKEN) ? &slot : NULL;
}

const struct sg_program_request *sg_program_request_current(void) {
    int now = atomic_load(&state);
    return now == TAKEN || now == ABANDONED ? &slot : NULL;
}

bool sg_program_request_finish(const char *problem) {
    bool is_answered = false;
    if (atomic_load(&state) == TAKEN) {
        snprintf(refusal, sizeof refusal, "%s", problem);
        is_answered = move(TAKEN, DONE);
    }
    bool is_abandoned = !is_answered && move(ABANDONED, NONE);
    sg_lifecycle_notify();
    return !is_abandoned;
}

void sg_program_request_refuse(const char *problem) {
    if (*problem && sg_program_request_take())
        sg_program_request_finish(problem);
}

static bool claim(int64_t until_ns) {
    for (;;) {
        uint32_t seen = sg_lifecycle_count();
        if (move(NONE, CLAIMED))
            return true;
        if (sg_time_mono_ns() > until_ns)
            return false;
        sg_lifecycle_wait(seen, TURN_NS);
    }
}

/* Start the engine, unless it runs. Returns a negative number if it cannot be started. Called
 * repeatedly, because an engine that is leaving has to end before another can start. */
static int start(sg_begin_fn *begin) {
    const struct sg_arguments arguments = {
        .uid = -1, .calls = SG_CALLS_NOT_GIVEN, .stack_depth = sg_program_request_stack_depth()};
    return begin(&arguments);
}

bool sg_program_request_do(sg_begin_fn *begin, const struct sg_program_request *request,
                           char problem[SG_PROGRAM_PROBLEM_BYTES]) {
    int64_t until_ns = sg_time_mono_ns() + PATIENCE_NS;
    int now;
    if (!claim(until_ns)) {
        snprintf(problem, SG_PROGRAM_PROBLEM_BYTES, "the engine is busy with another request");
        return false;
    }
    slot = *request;
    atomic_store(&state, POSTED);
    for (;;) {
        uint32_t seen = sg_lifecycle_count();
        now = atomic_load(&state);
        if (now == DONE)
            break;
        int failed = now == POSTED ? start(begin) : 0;
        bool is_late = sg_time_mono_ns() > until_ns;
        if ((failed < 0 || is_late) && (move(POSTED, NONE) || move(TAKEN, ABANDONED))) {
            snprintf(problem, SG_PROGRAM_PROBLEM_BYTES, "%s",
                     failed < 0 ? sg_lifecycle_explain_begin(failed)
                                : "the engine could not take the GIL in time");
            return false;
        }
        sg_lifecycle_wait(seen, TURN_NS);
    }
    snprintf(problem, SG_PROGRAM_PROBLEM_BYTES, "%s", refusal);
    atomic_store(&state, NONE);
    sg_lifecycle_notify(); /* other threads may wait for the slot */
    if (request->kind == SG_PROGRAM_WITHDRAW)
        sg_lifecycle_wait_while_leaving();
    return !*problem;
}

/* Make a listening socket at an abstract address that the kernel chooses, so that no file is
 * needed. Returns its descriptor or -errno. */
static int listen_here(struct sg_program_request *request) {
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0)
        return -errno;
    request->address.sun_family = AF_UNIX;
    request->address_size = sizeof request->address;
    if (bind(listener, (struct sockaddr *)&request->address, sizeof(sa_family_t)) ||
        listen(listener, BACKLOG) ||
        getsockname(listener, (struct sockaddr *)&request->address, &request->address_size)) {
        int failed = -errno;
        close(listener);
        return failed;
    }
    return listener;
}

/* Accept the connection of this process's engine, and close those of other processes. Returns a
 * descriptor or -errno. */
static int accept_engine(int listener) {
    for (;;) {
        struct ucred peer;
        socklen_t size = sizeof peer;
        int descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (descriptor < 0 && errno == EINTR)
            continue;
        if (descriptor < 0)
            return -errno;
        if (!getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) && peer.pid == getpid())
            return descriptor;
        close(descriptor);
    }
}

int sg_program_request_connect(sg_begin_fn *begin, char problem[SG_PROGRAM_PROBLEM_BYTES]) {
    struct sg_program_request request = {.kind = SG_PROGRAM_CONNECT};
    int listener = listen_here(&request);
    int descriptor = listener;
    if (listener >= 0 && !sg_program_request_do(begin, &request, problem)) {
        close(listener);
        return -1;
    }
    if (listener >= 0) {
        descriptor = accept_engine(listener);
        close(listener);
    }
    if (descriptor < 0)
        snprintf(problem, SG_PROGRAM_PROBLEM_BYTES, "no socket can be made: %s",
                 strerror(-descriptor));
    return descriptor < 0 ? -1 : descriptor;
}

uint32_t sg_program_request_set_stack_depth(uint32_t depth) {
    return atomic_exchange(&stack_depth, sg_stack_depth_clamp(depth));
}

uint32_t sg_program_request_stack_depth(void) { return atomic_load(&stack_depth); }

void sg_program_request_forget(void) { atomic_store(&state, NONE); }
