/* Pre-attach waits: finds the lock of a wait that began before locks were hooked, from the futex on
 * which the thread sleeps.
 *
 *     up to 3.13     lock │ sem ──▶ sem_t: the futex       locks that the waiter's innermost frame
 *                                                          refers to: which one has the futex?
 *     from 3.13 on   lock ◀── address │ sem_t: the futex   on the waiter's C stack, where it is
 *                             parked on                    parked
 *
 * In 3.13 the type of the lock decides: one with a semaphore, or one with a mutex (locks/state.h).
 *
 * The futex proves the lock; a wait without a proven lock is not reported. */
#ifndef STACKGLASS_WAITS_PREATTACH_WAITS_H
#define STACKGLASS_WAITS_PREATTACH_WAITS_H

#include "locks/waits.h"

/* Check, on a lock of the engine's own, where a lock's semaphore is. Locks must be hooked. The
 * caller holds the GIL, as for sg_preattach_waits_find. */
void sg_preattach_waits_prepare(void);

/* Fill in the wait of `thread`, a PyThreadState that sleeps on `futex`: `lock`, `primitive`,
 * `thread`, and `holder` if it joins a thread. Returns false if it waits for no lock, or for a lock
 * that cannot be determined. */
bool sg_preattach_waits_find(const void *thread, uintptr_t futex, struct sg_lock_wait *wait);

#endif
