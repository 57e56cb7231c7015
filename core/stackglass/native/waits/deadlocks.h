/* Deadlock detection: finds cycles in the waits-for graph and decides which of them are deadlocks.
 *
 *     snapshot 1 ─▶ cycles? ── no ─▶ done
 *                       └─ yes ─▶ read each member's rest ── 0.1 s ──▶ snapshot 2 ─▶ compare
 *
 * A cycle in one snapshot is not a deadlock yet: a wait may time out, and any thread may release a
 * plain lock. The members of a cycle are SG_STUCK_DEADLOCKED if:
 *
 *   1. No member has run between the snapshots. It sleeps in the same system call, its CPU clock
 *      and its context switches are unchanged, and it waits for the same lock of the same holder.
 *   2. No member's wait has a timeout.
 *   3. Each holder is proven. It owns the RLock; or it is the thread that is joined; or it is in a
 *      `with` block of the plain lock, which is held and which no other thread has taken since.
 *
 * A `with` block that was entered before the hooks does not prove that a thread waits for itself in
 * `acquire`: the thread may have released the lock by hand in between. The members are
 * SG_STUCK_MAYBE if 1 and 2 hold and the cycle has several members. A single thread that waits for
 * a lock that it took by `acquire` is not, because it may wait for a signal.
 *
 * The writer calls these functions; any thread may call sg_deadlocks_mark. */
#ifndef STACKGLASS_WAITS_DEADLOCKS_H
#define STACKGLASS_WAITS_DEADLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "waits/waiters.h"

#define SG_CYCLE_WATCH_NS INT64_C(100000000)

/* Set `is_in_cycle` of each waiter: whether it is a member of a cycle. No thread may occur
 * twice. */
void sg_deadlocks_mark(struct sg_lock_waiter *waits, size_t n);

/* Remember the members of cycles, and how each is blocked; takes some 50 us for each member.
 * Returns false if there are none, or if memory is short. The caller needs the engine's descriptor
 * table, as for sg_deadlocks_confirm. */
bool sg_deadlocks_watch(const struct sg_lock_waiter *waits, size_t n);
/* Set `stuck` of each waiter, by comparison with the members that sg_deadlocks_watch remembered. */
void sg_deadlocks_confirm(struct sg_lock_waiter *waits, size_t n);
void sg_deadlocks_forget(void);
/* Reset the state in a forked child, without freeing memory. */
void sg_deadlocks_after_fork_in_child(void);

#endif
