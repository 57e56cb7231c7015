/* One look at who waits for whom: what the hooks know, and what began before them.
 *
 *     writer: sleepers ─▶ slices, GIL: each thread's lock, its `with` blocks ─▶ tell
 *                                                                                │
 *              of those that have run since, nothing is believed any more ◀──────┘
 *
 * Nothing is kept from one look to the next: a wait of before the hooks ends without our seeing it.
 * Belongs to whoever has the job, as the symboliser's job does; see symboliser.h. */
#ifndef STACKGLASS_LOCK_LOOK_H
#define STACKGLASS_LOCK_LOOK_H

#include "lock_waits.h"

/* Ask the system what each thread sleeps on. No GIL; see sg_sleepers_list. */
void sg_lock_look_begin(void);
bool sg_lock_look_is_begun(void);
/* Look at threads for `budget_ns`; true = at all of them. Caller holds the GIL. */
bool sg_lock_look_go_on(int64_t budget_ns);
bool sg_lock_look_is_done(void);
/* Who waits: one call each. With the GIL that the last `go_on` had. */
void sg_lock_look_tell(sg_lock_waiter_fn *deliver, void *context);
/* Forget it all. No GIL. */
void sg_lock_look_end(void);
/* A forked child, perhaps in the middle of one: its memory stays. */
void sg_lock_look_after_fork_in_child(void);

#endif
