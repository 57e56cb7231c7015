/* One look at who waits for whom: what the hooks know, and what began before them.
 *
 *     writer: sleepers ─▶ slices, GIL: each thread's stack, its lock, its `with` blocks
 *                                                  │
 *                         slices, GIL: each wait that the hooks know: for what?
 *                                                  │
 *                         the last one: who waits yet? who holds what he waits for? ─▶ tell
 *
 * Who waits for whom, and who holds what, is of one moment, the last slice: there all of it is
 * checked again, so that no circle is told that never was. Where a waiter stands is true of that
 * moment, too, since he has not run since. Where a holder stands is of it as far as the slice has
 * time, else of some milliseconds before.
 *
 * Nothing is kept from one look to the next: a wait of before the hooks ends without our seeing it.
 * Belongs to whoever has the job, as the symboliser's job does; see worker/gil_worker.h. */
#ifndef STACKGLASS_WAITS_SNAPSHOT_H
#define STACKGLASS_WAITS_SNAPSHOT_H

#include "cpu/cpu.h"
#include "waits/waiters.h"

/* Learn, on locks and code of our own, what waits and `with` blocks look like that began before the
 * hooks; and forget it. Locks are hooked meanwhile. Caller holds the GIL. */
void sg_waits_snapshot_prepare(void);
void sg_waits_snapshot_unprepare(void);

/* Ask the system what each thread sleeps on. No GIL; see sg_futex_sleepers_list. */
void sg_waits_snapshot_begin(void);
bool sg_waits_snapshot_is_begun(void);
/* Look for `budget_ns`, and a check of all who wait (some 0.1 ms for two hundred); true = that is
 * all. Caller holds the GIL. */
bool sg_waits_snapshot_continue(int64_t budget_ns);
bool sg_waits_snapshot_is_done(void);
/* Who waits, one call each, and the stacks of those who wait or hold. With the GIL that the last
 * `go_on` had. */
void sg_waits_snapshot_publish(sg_lock_waiter_fn *deliver, sg_sample_fn *deliver_stack,
                               void *context);
/* Forget it all. No GIL. */
void sg_waits_snapshot_end(void);
/* A forked child, perhaps in the middle of one: its memory stays. */
void sg_waits_snapshot_after_fork_in_child(void);

#endif
