/* Futex: a counter that one thread raises and others sleep on, without a lock. All functions keep
 * errno, because hooks on threads of the program call them. */
#ifndef STACKGLASS_PLATFORM_FUTEX_H
#define STACKGLASS_PLATFORM_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

typedef _Atomic uint32_t sg_wakeup;

#define SG_FUTEX_FOREVER INT64_MAX

/* Raise the counter and wake every thread that sleeps on it. Any thread, async-signal-safe. */
void sg_futex_wake(sg_wakeup *wakeup);
/* Sleep while the counter is `seen`, at most `timeout_ns` (SG_FUTEX_FOREVER: no limit; 0 or less:
 * not at all). May return early. */
void sg_futex_wait(sg_wakeup *wakeup, uint32_t seen, int64_t timeout_ns);

/* Sleep for about `ns`. A futex is used because every threaded program calls it, so that no system
 * call filter forbids it. May return early. Any thread. */
void sg_futex_sleep_ns(int64_t ns);

/* Wait a moment for what another thread keeps for less than a microsecond; `n_tries`: how often it
 * was tried before. The first waits spin, and make no system call. The later ones sleep: then the
 * other thread has lost its processor. sched_yield would be the same, but a filter may forbid it to
 * a thread of the program. Any thread, async-signal-safe. */
void sg_futex_back_off(uint32_t n_tries);

#endif
