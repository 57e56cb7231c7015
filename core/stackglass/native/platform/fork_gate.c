/* Two counters, used as in Dekker's algorithm. Each side increments its counter, then reads the
 * other's: at least one sees the other. An engine thread that sees a fork steps back and tries
 * again; a fork that sees an engine thread waits. Both stop waiting after a second, and go on. */
#include "platform/fork_gate.h"

#include <stdatomic.h>

#include "platform/futex.h"
#include "platform/time.h"

enum { POLL_NS = 50 * 1000 };

static _Atomic uint32_t n_inside, n_forks;

static bool is_in_time(int64_t since_ns) {
    return sg_time_mono_ns() - since_ns < SG_FORK_GATE_LIMIT_NS;
}

void sg_fork_gate_enter(void) {
    int64_t since_ns = 0;
    for (;;) {
        atomic_fetch_add(&n_inside, 1);
        if (!atomic_load(&n_forks))
            return;
        if (!since_ns)
            since_ns = sg_time_mono_ns();
        if (!is_in_time(since_ns))
            return;
        atomic_fetch_sub(&n_inside, 1);
        sg_futex_sleep_ns(POLL_NS);
    }
}

void sg_fork_gate_leave(void) { atomic_fetch_sub(&n_inside, 1); }

void sg_fork_gate_before(void) {
    atomic_fetch_add(&n_forks, 1);
    if (!atomic_load(&n_inside))
        return;
    int64_t since_ns = sg_time_mono_ns();
    while (atomic_load(&n_inside) && is_in_time(since_ns))
        sg_futex_sleep_ns(POLL_NS);
}

void sg_fork_gate_after(void) { atomic_fetch_sub(&n_forks, 1); }

void sg_fork_gate_after_in_child(void) {
    atomic_store(&n_inside, 0);
    atomic_store(&n_forks, 0);
}

bool sg_fork_gate_is_free(void) { return !atomic_load(&n_inside) && !atomic_load(&n_forks); }
