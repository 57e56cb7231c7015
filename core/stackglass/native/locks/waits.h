/* Who waits now, for which lock, and since when; and what a release has to answer for.
 *
 *     waiter 1  ├──────────────────────┤            begin … end
 *     waiter 2          ├──────────────┼─────────┤
 *     held by   │ A                    │ B       │
 *                     A's release ─────┘         └── B's release
 *               charged to A: both, since they began; to B: waiter 2, since A's release
 *
 * So each nanosecond of a waiter is charged once, to whoever held the lock then, and what passes
 * between a release and the waiter's going on is charged to nobody.
 *
 * Entries are made and taken away by the waiters, with the GIL held. A flag guards them beside it,
 * since interpreters may have a GIL each. It is held for some nanoseconds, by `visit` for
 * what that takes, and by nobody who waits for anything else. */
#ifndef STACKGLASS_LOCKS_WAITS_H
#define STACKGLASS_LOCKS_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "contention/contention.h"
#include "locks/holders.h"

struct sg_lock_wait {
    const void *lock; /* the object that is waited for; it lives as long as the wait */
    enum sg_primitive primitive;
    pid_t tid;
    const void *thread; /* the waiter's PyThreadState */
    pid_t holder;       /* known otherwise than by the lock; 0 = not */
    int64_t since_mono_ns;
    bool is_charged;           /* its releaser is to blame */
    sg_contention_stack stack; /* the waiter's, once it is known; else SG_CONTENTION_OWN_STACK */
};

/* Make room, once. 0 or -1. */
int sg_lock_waits_prepare(void);
/* Forget who waits, and give back the memory if nobody is inside any more; else it stays for
 * another time. Caller holds the GIL. */
void sg_lock_waits_discard(void);
/* Waits that an earlier session has seen begin, and that are not over, are known again; they are
 * not charged. After sg_lock_holders_prepare. Caller holds the GIL. */
void sg_lock_waits_revive(void);
/* In a forked child, whose threads are gone but for one; that may be inside. */
void sg_lock_waits_after_fork_in_child(void);

/* The calling thread is about to wait. What `end` wants; 0 = there is no room. */
uint32_t sg_lock_waits_begin(const struct sg_lock_wait *wait);
void sg_lock_waits_end(uint32_t entry);

/* A lock may get a number: its death will be noticed. */
static inline void sg_lock_expect_number(const void *lock) {
    atomic_store_explicit(&sg_lock_slot(lock)->is_numbered, 1, memory_order_relaxed);
}

/* What the releaser of `lock` at `now_mono_ns`, who has held it since `began_mono_ns` or before, is
 * charged with, a row a waiter; if there are more than SG_LOCK_CHARGES of them, the last row has
 * the time of all the others. Returns how many rows. */
enum { SG_LOCK_CHARGES = 256 };
size_t sg_lock_waits_charge(const void *lock, int64_t began_mono_ns, int64_t now_mono_ns,
                            struct sg_contention_waiter charges[SG_LOCK_CHARGES]);

/* One call each, in no order, while none of them goes on, also under another GIL, and none of their
 * locks dies: so `visit` must not run Python code, nor wait for a lock. An entry's number and
 * `since_mono_ns` say together which wait it is. Caller holds the GIL. */
typedef void sg_lock_wait_fn(void *context, uint32_t entry, const struct sg_lock_wait *wait);
void sg_lock_waits_visit(sg_lock_wait_fn *visit, void *context);

#endif
