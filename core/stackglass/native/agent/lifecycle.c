/* The engine's state in this process: a few atomics and an event count, `changes`. A sleeper reads
 * the count, checks the condition that it waits for, and sleeps on the count by a futex; so a
 * change between the check and the sleep is not missed.
 *
 * A second entry leaves its arguments in `offer` for the writer. `offer_state` guards them: they
 * are written only in OFFER_WRITING, and read only in OFFER_READY. */
#include "agent/lifecycle.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <unistd.h>

#include "platform/futex.h"
#include "platform/time.h"
#include "worker/interpreter_end.h"

/* A sleeper checks this often whether the interpreter is ending: nothing wakes it for that. */
enum { TURN_NS = 20 * 1000 * 1000 };
enum { OFFER_NONE, OFFER_WRITING, OFFER_READY };

/* Lock-free. */
static _Atomic int state;   /* enum sg_lifecycle */
static _Atomic pid_t owner; /* the process that has begun */
static _Atomic bool is_profiling;
static _Atomic bool has_left;
static _Atomic int offer_state;
static struct sg_arguments offer; /* guarded by offer_state */
static sg_wakeup changes;

/* Called before the state becomes ABSENT: once it is PRESENT, other threads make offers. */
static void reset(void) {
    atomic_store(&has_left, false);
    atomic_store(&is_profiling, false);
    atomic_store(&offer_state, OFFER_NONE);
}

enum sg_lifecycle sg_lifecycle_state(void) {
    int now = atomic_load(&state);
    return now != SG_AGENT_ABSENT && atomic_load(&owner) == getpid() ? (enum sg_lifecycle)now
                                                                     : SG_AGENT_ABSENT;
}

bool sg_lifecycle_is_begun(void) { return atomic_load(&state) != SG_AGENT_ABSENT; }

bool sg_lifecycle_disinherit(void) {
    pid_t before = atomic_load(&owner), self = getpid();
    return sg_lifecycle_is_begun() && before != self &&
           atomic_compare_exchange_strong(&owner, &before, self);
}

enum sg_lifecycle sg_lifecycle_begin(void) {
    int before = SG_AGENT_ABSENT;
    atomic_store(&owner, getpid()); /* of two threads that begin, both store the same */
    atomic_compare_exchange_strong(&state, &before, SG_AGENT_PRESENT);
    return (enum sg_lifecycle)before;
}

const char *sg_lifecycle_explain_begin(int failed) {
    return failed == -EEXIST
               ? "an engine of another installation of Stackglass is in this process: detach the "
                 "viewer or command that started it, or use that installation here too"
               : "the engine's thread cannot be started";
}

void sg_lifecycle_end(void) {
    reset();
    atomic_store(&state, SG_AGENT_ABSENT);
    sg_lifecycle_notify();
}

bool sg_lifecycle_is_profiling(void) { return atomic_load(&is_profiling); }
bool sg_lifecycle_has_left(void) { return atomic_load(&has_left); }

void sg_lifecycle_set_profiling(void) {
    atomic_store(&is_profiling, true);
    sg_lifecycle_notify();
}

void sg_lifecycle_set_leaving(void) {
    atomic_store(&is_profiling, false);
    atomic_store(&state, SG_AGENT_LEAVING); /* not notified: sleepers wait for a later state */
}

void sg_lifecycle_set_left(void) {
    atomic_store(&has_left, true);
    sg_lifecycle_notify();
}

void sg_lifecycle_notify(void) { sg_futex_wake(&changes); }

uint32_t sg_lifecycle_count(void) { return atomic_load(&changes); }

void sg_lifecycle_wait(uint32_t seen, int64_t timeout_ns) {
    sg_futex_wait(&changes, seen, timeout_ns);
}

void sg_lifecycle_wait_while_leaving(void) {
    for (;;) {
        uint32_t seen = sg_lifecycle_count();
        if (sg_lifecycle_state() != SG_AGENT_LEAVING || sg_interpreter_end_has_begun())
            return;
        sg_lifecycle_wait(seen, TURN_NS);
    }
}

/* After the last Bye the engine sends nothing more; its threads may take a moment longer to end. */
static bool is_gone(void) {
    return sg_lifecycle_state() == SG_AGENT_ABSENT || sg_lifecycle_has_left();
}

void sg_lifecycle_wait_for_end(int64_t timeout_ns) {
    int64_t now_ns = sg_time_mono_ns(), until_ns = now_ns + timeout_ns;
    for (;;) {
        uint32_t seen = sg_lifecycle_count();
        if (is_gone() || now_ns >= until_ns)
            return;
        sg_futex_wait(&changes, seen, until_ns - now_ns);
        now_ns = sg_time_mono_ns();
    }
}

void sg_lifecycle_offer_socket(const struct sg_arguments *arguments) {
    int none = OFFER_NONE;
    if (!arguments->socket[0] ||
        !atomic_compare_exchange_strong(&offer_state, &none, OFFER_WRITING))
        return;
    offer = *arguments;
    atomic_store(&offer_state, OFFER_READY);
}

bool sg_lifecycle_take_socket(struct sg_arguments *arguments) {
    if (atomic_load(&offer_state) != OFFER_READY)
        return false;
    *arguments = offer;
    atomic_store(&offer_state, OFFER_NONE);
    return true;
}
