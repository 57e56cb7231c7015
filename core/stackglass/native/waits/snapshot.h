/* A snapshot of the waits-for graph: the waits that the hooks know, and those that began before
 * them.
 *
 *     writer: sleepers ─▶ slices, GIL: each thread's stack, its lock, its `with` blocks
 *                                                  │
 *                         slices, GIL: the target of each wait that the hooks know
 *                                                  │
 *                         last slice: which waits go on? which thread holds each lock? ─▶ publish
 *
 * Waiters and holders are of one moment, the last slice: there all of it is checked again, so that
 * no circle is reported that never existed. A waiter's stack is of that moment too, since it has
 * not run. A holder's stack is of it as far as the slice has time, else of some milliseconds
 * before.
 *
 * Nothing is kept from one snapshot to the next, since a wait from before the hooks ends unseen.
 * Owned by the thread that has the job: worker/gil_worker.h. */
#ifndef STACKGLASS_WAITS_SNAPSHOT_H
#define STACKGLASS_WAITS_SNAPSHOT_H

#include "cpu/cpu.h"
#include "waits/waiters.h"

/* Check on locks and code of the engine's own how waits and `with` blocks from before the hooks are
 * recognised; and forget it. Locks are hooked meanwhile. Caller holds the GIL. */
void sg_waits_snapshot_prepare(void);
void sg_waits_snapshot_unprepare(void);

/* Ask the system what each thread sleeps on. No GIL; see sg_futex_sleepers_list. */
void sg_waits_snapshot_begin(void);
bool sg_waits_snapshot_is_begun(void);
/* Continue for `budget_ns`, and a check of all waiters (some 0.1 ms for two hundred); true = done.
 * Caller holds the GIL. */
bool sg_waits_snapshot_continue(int64_t budget_ns);
bool sg_waits_snapshot_is_done(void);
/* Deliver the waiters, and the stacks of waiters and holders. With the GIL that the last `continue`
 * had.
 */
void sg_waits_snapshot_publish(sg_lock_waiter_fn *deliver, sg_sample_fn *deliver_stack,
                               void *context);
/* Free everything. No GIL. */
void sg_waits_snapshot_end(void);
/* In a forked child, perhaps in the middle of a snapshot: its memory stays. */
void sg_waits_snapshot_after_fork_in_child(void);

#endif
