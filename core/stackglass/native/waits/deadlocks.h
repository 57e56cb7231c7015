/* Circles of waiting threads, and which of them are deadlocks.
 *
 *     snapshot 1 ─▶ circles? ── no ─▶ done
 *                       └─ yes ─▶ read each member's rest ── 0.1 s ──▶ snapshot 2 ─▶ compare
 *
 * A circle of one moment is no deadlock yet: a wait may time out, a plain lock may be released by
 * any thread. It is reported as a deadlock (SG_STUCK_DEADLOCKED) if
 *
 *     no member has moved between the snapshots: it sleeps in the same system call, its CPU clock
 * and its context switches stand, and it waits for the same lock of the same holder; no member's
 * wait has a timeout; each holder is proven: it owns the RLock, it is the thread that is joined, or
 * it stands in a `with` block of the plain lock, which is held and which no other thread has taken
 * since.
 *
 * A block that was entered before the hooks is no proof against a thread that waits for the lock in
 * `acquire`: it may have released it by hand in between. A circle that does not move and is proven
 * but for such holders, or for holders that took the lock by `acquire`, is SG_STUCK_MAYBE if it has
 * several members; one thread that waits for a lock it took by `acquire` may wait for a signal.
 *
 * The writer's, but for `mark`: any thread. */
#ifndef STACKGLASS_WAITS_DEADLOCKS_H
#define STACKGLASS_WAITS_DEADLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "waits/waiters.h"

#define SG_CIRCLE_WATCH_NS INT64_C(100000000)

/* Set `is_in_circle` of each. No thread is there twice. */
void sg_deadlocks_mark(struct sg_lock_waiter *waits, size_t n);

/* Remember the members of circles and how they rest; false = there are none. For a thread with a
 * descriptor table of its own, as `confirm`; some 50 us a member. */
bool sg_deadlocks_watch(const struct sg_lock_waiter *waits, size_t n);
/* Set `stuck` of each, by what was watched before. */
void sg_deadlocks_confirm(struct sg_lock_waiter *waits, size_t n);
void sg_deadlocks_forget(void);
/* A forked child: its memory stays. */
void sg_deadlocks_after_fork_in_child(void);

#endif
