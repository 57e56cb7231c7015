/* Waits that began before locks were hooked: the lock of a thread that sleeps on a futex.
 *
 *     up to 3.13     lock │ sem ──▶ sem_t: the futex       locks that the waiter's innermost frame
 *                                                          refers to: is the futex theirs?
 *     3.14, 3.15     lock ◀── address │ sem_t: the futex   on the waiter's C stack, where it is
 *                             parked on                    parked
 *
 * So the futex proves the lock; a wait without a proven lock is not reported. */
#ifndef STACKGLASS_WAITS_PREATTACH_WAITS_H
#define STACKGLASS_WAITS_PREATTACH_WAITS_H

#include "locks/waits.h"

/* Check, on a lock of the engine's own, where the semaphore of a lock lies. Locks are hooked.
 * Caller holds the GIL, as for all. */
void sg_preattach_waits_prepare(void);

/* Fill in the wait of `thread`, a PyThreadState that sleeps on `futex`: `lock`, `primitive`,
 * `thread`, and `holder` if it joins a thread. False if it waits for no lock, or for one that
 * cannot be determined. */
bool sg_preattach_waits_find(const void *thread, uintptr_t futex, struct sg_lock_wait *wait);

#endif
