/* The table of current waiters: which thread waits for which lock since when, and what a release is
 * charged with.
 *
 *     waiter 1  ├──────────────────────┤            begin … end
 *     waiter 2          ├──────────────┼─────────┤
 *     held by   │ A                    │ B       │
 *                     A's release ─────┘         └── B's release
 *               charged to A: both, since they began; to B: waiter 2, since A's release
 *
 * So each nanosecond of a waiter is charged once, to the thread that held the lock then. The time
 * from a release until the waiter runs is charged to no thread.
 *
 * Waiters add and remove their entries with the GIL held. A flag guards the table as well, since
 * interpreters may have a GIL each. `begin` and `end` hold the flag for some nanoseconds, `charge`
 * and `visit` until they return. Under the flag a thread waits for nothing but contention's claim,
 * and for that only a moment: sg_contention_take_stack and sg_contention_lock give up soon. */
#ifndef STACKGLASS_LOCKS_WAITS_H
#define STACKGLASS_LOCKS_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "contention/contention.h"
#include "locks/table.h"

struct sg_lock_wait {
    const void *lock; /* the object that is waited for; it lives as long as the wait */
    enum sg_primitive primitive;
    pid_t tid;
    const void *thread; /* the waiter's PyThreadState */
    uintptr_t joined;   /* pthread_t of the joined thread, until it is looked up; else 0 */
    /* the joined thread, which the first sg_lock_waits_visit looks up; 0 = the lock may know the
     * holder */
    pid_t holder;
    int64_t since_mono_ns;
    bool is_charged;           /* releases of the lock are charged with this wait */
    sg_contention_stack stack; /* the waiter's, once it is known; else SG_CONTENTION_OWN_STACK */
};

/* Allocate the table, once. Returns 0, or -1 if memory is short. */
int sg_lock_waits_prepare(void);
/* Forget all waiters, and free the table if no thread is inside; else it stays for a later session.
 * Caller holds the GIL. */
void sg_lock_waits_discard(void);
/* Register again the waits that began in an earlier session and are not over; they are not charged.
 * Called after sg_lock_table_prepare. Caller holds the GIL. */
void sg_lock_waits_revive(void);
/* Forget all waiters in a forked child; its only thread may be between begin and end. */
void sg_lock_waits_after_fork_in_child(void);

/* Register a wait that the calling thread is about to begin. Returns the entry, for `end`; 0 =
 * there is no room, and the wait is not registered. */
uint32_t sg_lock_waits_begin(const struct sg_lock_wait *wait);
void sg_lock_waits_end(uint32_t entry);

/* Note that `lock` may get a number, so that its destruction is reported (destroyed.h). */
static inline void sg_lock_wait_expect_number(const void *lock) {
    atomic_store_explicit(&sg_lock_table_slot(lock)->is_numbered, 1, memory_order_relaxed);
}

/* List what the release of `lock` at `now_mono_ns` is charged with, for a hold that began at
 * `began_mono_ns`: one row for each waiter. If there are more than SG_LOCK_CHARGES waiters, the
 * last row has the time of all the others. Returns the number of rows. */
enum { SG_LOCK_CHARGES = 256 };
size_t sg_lock_waits_charge(const void *lock, int64_t began_mono_ns, int64_t now_mono_ns,
                            struct sg_contention_waiter charges[SG_LOCK_CHARGES]);

/* Visit all waiters, in no order. No waiter continues meanwhile, not even under another GIL, and no
 * lock is destroyed: so `visit` must not run Python code or wait for a lock. A wait is identified
 * by `entry` and `since_mono_ns` together. Caller is an engine thread and holds the GIL. */
typedef void sg_lock_wait_fn(void *context, uint32_t entry, const struct sg_lock_wait *wait);
void sg_lock_waits_visit(sg_lock_wait_fn *visit, void *context);

#endif
