/* Totals of lock waits: two counters. */
#include "locks/totals.h"

#include <stdatomic.h>

static _Atomic uint64_t n_waits, waited_ns; /* lock-free */

void sg_lock_totals_reset(void) {
    atomic_store(&n_waits, 0);
    atomic_store(&waited_ns, 0);
}

void sg_lock_totals_add(int64_t delay_ns) {
    atomic_fetch_add_explicit(&n_waits, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&waited_ns, delay_ns > 0 ? (uint64_t)delay_ns : 1,
                              memory_order_relaxed);
}

struct sg_lock_totals sg_lock_totals_read(void) {
    return (struct sg_lock_totals){atomic_load(&n_waits), atomic_load(&waited_ns)};
}
