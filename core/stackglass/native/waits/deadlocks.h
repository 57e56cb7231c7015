/* Circles of waiting threads, and which of them are deadlocks.
 *
 *     snapshot 1 ─▶ circles? ── no ─▶ done
 *                       └─ yes ─▶ read each member's rest ── 0.1 s ──▶ snapshot 2 ─▶ compare
 *
 * A circle of one moment is no deadlock yet: a wait may time out, and any thread may release a
 * plain lock. SG_STUCK_DEADLOCKED:
 *
 *  1. No member has moved between the snapshots. It sleeps in the same system call, its CPU clock
 *     and its context switches are unchanged, and it waits for the same lock of the same holder.
 *  2. No member's wait has a timeout.
 *  3. Each holder is proven. It owns the RLock; or it is the thread that is joined; or it is in a
 *     `with` block of the plain lock, which is held and which no other thread has taken since.
 *
 * A block that was entered before the hooks does not prove that a thread waits for itself in
 * `acquire`: the thread may have released the lock by hand in between. SG_STUCK_MAYBE: 1 and 2
 * hold, and the circle has several members. One thread that waits for a lock that it took by
 * `acquire` may wait for a signal.
 *
 * Called by the writer; `mark` by any thread. */
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
