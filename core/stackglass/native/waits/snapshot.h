/* Snapshot of the waits-for graph: the waits that the hooks recorded, and the waits that began
 * before the hooks.
 *
 *     writer: sleepers ─▶ slices, GIL: each thread's stack, its lock, its `with` blocks
 *                                                  │
 *                         slices, GIL: the target of each wait that the hooks recorded
 *                                                  │
 *                         last slice: which waits last? which thread holds each lock? ─▶ publish
 *
 * Waiters and holders are those of one moment, the last slice. All of them are checked again there,
 * so that no cycle is reported that never existed. A waiter's stack is of that moment too, since
 * the waiter has not run. A holder's stack is read again in that slice if there is time; otherwise
 * it is some milliseconds older.
 *
 * No data is kept from one snapshot to the next, since no hook sees the end of a wait that began
 * before. The thread that has the job owns the snapshot (worker/gil_worker.h). */
#ifndef STACKGLASS_WAITS_SNAPSHOT_H
#define STACKGLASS_WAITS_SNAPSHOT_H

#include "cpu/cpu.h"
#include "waits/waiters.h"

/* Learn, on locks and code of the engine's own, how to recognise waits and `with` blocks from
 * before the hooks; sg_waits_snapshot_unprepare forgets that. Locks stay hooked in between. The
 * caller holds the GIL. */
void sg_waits_snapshot_prepare(void);
void sg_waits_snapshot_unprepare(void);

/* Begin a snapshot: read from /proc what each thread sleeps on, see sg_futex_sleepers_list. Needs
 * no GIL. */
void sg_waits_snapshot_begin(void);
bool sg_waits_snapshot_is_begun(void);
/* Continue for `budget_ns`, plus the time to check all waiters (some 0.1 ms for two hundred).
 * Returns true when the snapshot is complete. The caller holds the GIL. */
bool sg_waits_snapshot_continue(int64_t budget_ns);
bool sg_waits_snapshot_is_done(void);
/* Deliver the waiters, and the stacks of waiters and holders. The GIL must not have been released
 * since the last sg_waits_snapshot_continue. If memory was short, or too many threads started
 * during the snapshot, waiters are missing, and nothing says so. */
void sg_waits_snapshot_publish(sg_lock_waiter_fn *deliver, sg_sample_fn *deliver_stack,
                               void *context);
/* Free everything. Needs no GIL. */
void sg_waits_snapshot_end(void);
/* Reset the snapshot in a forked child, perhaps in the middle of one, without freeing memory. */
void sg_waits_snapshot_after_fork_in_child(void);

#endif
