/* Hand-over between the program and the writer. The atomic `state` says who owns the data: the
 * starter fills `wanted` while the state is CLAIMED, before WANTED; the writer reads it and fills
 * `failure` while the state is BEGINNING, and fills `part` before TAKEN, and `content` before
 * ENDED. `part` is none of `content`, because the interpreter's end may move TAKEN to ENDED while
 * the taker reads it.
 *
 * WANTED may end in two ways at the same time: the writer begins, or the starter gives up. Both
 * compare and swap, so exactly one of them happens.
 *
 * The program sleeps on the count of changes in lifecycle.h, 20 ms at a time. While it waits for
 * the start, it calls `begin` again each time it wakes, because an engine that is leaving does not
 * take the request. */
#include "agent/self_profile.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "agent/lifecycle.h"
#include "agent/program_requests.h"
#include "platform/permitted_calls.h"
#include "platform/time.h"

enum { TURN_NS = 20 * 1000 * 1000 };
static const int64_t PATIENCE_NS = INT64_C(20) * 1000 * 1000 * 1000;

enum { NONE, CLAIMED, WANTED, BEGINNING, RUNNING, TAKING, TAKEN, ENDING, ENDED, FAILED };

static _Atomic int state; /* lock-free; the thread that changes it owns the following */
static struct sg_self_profile_rates wanted;    /* owned by the starter while CLAIMED */
static struct sg_self_profile_problem failure; /* owned by the writer while BEGINNING */
static struct sg_buffer part;    /* owned by the writer while TAKING, else the taker */
static struct sg_buffer content; /* owned by the writer until ENDED */

enum sg_self_profile_request sg_self_profile_request(void) {
    int now = atomic_load(&state);
    return now == WANTED   ? SG_SELF_PROFILE_BEGIN
           : now == TAKING ? SG_SELF_PROFILE_TAKE
           : now == ENDING ? SG_SELF_PROFILE_END
                           : SG_SELF_PROFILE_NONE;
}

const struct sg_self_profile_rates *sg_self_profile_begin(void) {
    int now = WANTED;
    return atomic_compare_exchange_strong(&state, &now, BEGINNING) ? &wanted : NULL;
}

static void move(int next) {
    atomic_store(&state, next);
    sg_lifecycle_notify();
}

void sg_self_profile_set_running(void) { move(RUNNING); }

static void set_text(struct sg_self_profile_problem *problem, const char *text) {
    snprintf(problem->text, sizeof problem->text, "%s", text);
}

void sg_self_profile_set_failed(const char *problem) {
    set_text(&failure, problem);
    move(FAILED);
}

void sg_self_profile_set_taken(struct sg_buffer *bytes) {
    part.failed = bytes->failed;
    if (!bytes->failed) {
        part = *bytes;
        memset(bytes, 0, sizeof *bytes);
    }
    move(TAKEN);
}

void sg_self_profile_set_ended(struct sg_buffer *bytes) {
    content = *bytes;
    memset(bytes, 0, sizeof *bytes);
    move(ENDED);
}

bool sg_self_profile_start(sg_begin_fn *begin, const struct sg_self_profile_rates *rates,
                           enum sg_clock clock, struct sg_self_profile_problem *problem) {
    int none = NONE;
    int64_t until_ns = sg_time_mono_ns() + PATIENCE_NS;
    problem->is_in_use = !atomic_compare_exchange_strong(&state, &none, CLAIMED);
    if (problem->is_in_use) {
        set_text(problem, "the CPU profiler is already in use");
        return false;
    }
    wanted = *rates;
    move(WANTED);
    for (;;) {
        uint32_t seen = sg_lifecycle_count();
        int now = atomic_load(&state);
        if (now != WANTED && now != BEGINNING)
            break;
        const struct sg_arguments arguments = {
            .stack_depth = sg_program_request_stack_depth(),
            .uid = -1,
            .hz = rates->hz,
            .clock = clock,
            .calls = SG_CALLS_NOT_GIVEN,
        };
        int failed = begin(&arguments);
        int waiting = WANTED;
        if ((failed < 0 || sg_time_mono_ns() > until_ns) &&
            atomic_compare_exchange_strong(&state, &waiting, NONE)) {
            set_text(problem, failed < 0 ? sg_lifecycle_explain_begin(failed)
                                         : "the engine could not take the GIL in time");
            return false;
        }
        sg_lifecycle_wait(seen, TURN_NS);
    }
    if (atomic_load(&state) != FAILED)
        return true;
    *problem = failure; /* before NONE: the next start may fail, too */
    atomic_store(&state, NONE);
    return false;
}

static void wait_while(int present) {
    for (;;) {
        uint32_t seen = sg_lifecycle_count();
        if (atomic_load(&state) != present)
            return;
        sg_lifecycle_wait(seen, TURN_NS);
    }
}

bool sg_self_profile_take(struct sg_buffer *bytes) {
    int running = RUNNING, taken = TAKEN;
    memset(bytes, 0, sizeof *bytes);
    if (!atomic_compare_exchange_strong(&state, &running, TAKING))
        return false;
    wait_while(TAKING);
    *bytes = part; /* empty if the interpreter's end was first: the rest is left for the stop */
    memset(&part, 0, sizeof part);
    atomic_compare_exchange_strong(&state, &taken, RUNNING);
    return true;
}

bool sg_self_profile_stop(struct sg_buffer *bytes) {
    int running = RUNNING;
    memset(bytes, 0, sizeof *bytes);
    /* The profile has already ended by itself if the interpreter is being torn down. */
    if (!atomic_compare_exchange_strong(&state, &running, ENDING) && running != ENDED)
        return false;
    wait_while(ENDING);
    int ended = ENDED;
    if (!atomic_compare_exchange_strong(&state, &ended, CLAIMED))
        return false; /* another thread stopped it at the same time, and has the profile */
    *bytes = content;
    memset(&content, 0, sizeof content);
    atomic_store(&state, NONE);
    sg_lifecycle_wait_while_leaving();
    return true;
}

void sg_self_profile_forget(void) {
    /* They are not freed: the fork may have come while another thread took them over. */
    memset(&part, 0, sizeof part);
    memset(&content, 0, sizeof content);
    atomic_store(&state, NONE);
}
