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
    pid_t holder;       /* of a join: the joined thread; 0 = known by the lock, or not at all */
    int64_t since_mono_ns;
    bool is_charged;           /* releases are charged with it */
    sg_contention_stack stack; /* the waiter's, once it is known; else SG_CONTENTION_OWN_STACK */
};

/* Make room, once. 0 or -1. */
int sg_lock_waits_prepare(void);
/* Forget all waiters, and free the table if no thread is inside; else it stays for a later session.
 * Caller holds the GIL. */
void sg_lock_waits_discard(void);
/* Register again the waits that an earlier session has seen begin and that are not over; they are
 * not charged. After sg_lock_table_prepare. Caller holds the GIL. */
void sg_lock_waits_revive(void);
/* In a forked child; its one thread may be inside. */
void sg_lock_waits_after_fork_in_child(void);

/* The calling thread is about to wait. Returns what `end` needs; 0 = there is no room. */
uint32_t sg_lock_waits_begin(const struct sg_lock_wait *wait);
void sg_lock_waits_end(uint32_t entry);

/* `lock` may get a number: its destruction is to be reported (destroyed.h). */
static inline void sg_lock_wait_expect_number(const void *lock) {
    atomic_store_explicit(&sg_lock_table_slot(lock)->is_numbered, 1, memory_order_relaxed);
}

/* What the release of `lock` at `now_mono_ns` is charged with, its hold having begun at
 * `began_mono_ns`: one row a waiter; if there are more than SG_LOCK_CHARGES, the last row has the
 * time of all the others. Returns how many rows. */
enum { SG_LOCK_CHARGES = 256 };
size_t sg_lock_waits_charge(const void *lock, int64_t began_mono_ns, int64_t now_mono_ns,
                            struct sg_contention_waiter charges[SG_LOCK_CHARGES]);

/* Visit all waiters, in no order. None of them goes on meanwhile, also under another GIL, and none
 * of their locks dies: so `visit` must not run Python code or wait for a lock. A wait is identified
 * by `entry` and `since_mono_ns` together. Caller holds the GIL. */
typedef void sg_lock_wait_fn(void *context, uint32_t entry, const struct sg_lock_wait *wait);
void sg_lock_waits_visit(sg_lock_wait_fn *visit, void *context);

#endif
