/* Threads that wait for each other without a lock: a counter that one side raises and the other
 * sleeps on (a futex). */
#ifndef STACKGLASS_PLATFORM_FUTEX_H
#define STACKGLASS_PLATFORM_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

typedef _Atomic uint32_t sg_wakeup;

/* CLOCK_MONOTONIC. */
int64_t sg_futex_mono_ns(void);

/* One more; everybody who sleeps on it wakes up. Any thread. */
void sg_futex_wake(sg_wakeup *wakeup);
/* Sleep while the counter is `seen`, `timeout_ns` at most. May return early. */
void sg_futex_wait(sg_wakeup *wakeup, uint32_t seen, int64_t timeout_ns);

/* Sleep about that long, by the call that every threaded program makes (futex), so that no system
 * call filter forbids it. May return early. Any thread. */
void sg_futex_sleep_ns(int64_t ns);

#endif
