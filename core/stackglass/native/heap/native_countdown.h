/* Native countdown: which allocations of other allocators than Python's are sampled.
 *
 * Threads allocate without the GIL, so one countdown for all would be a cache line that every
 * allocation of every thread writes. Each thread has the countdown of its stripe; the distribution
 * of distances has no memory (sampling.h), so it does not matter which thread takes which step.
 * Any thread, lock-free, async-signal-safe. */
#ifndef STACKGLASS_HEAP_NATIVE_COUNTDOWN_H
#define STACKGLASS_HEAP_NATIVE_COUNTDOWN_H

#include <stdbool.h>
#include <stdint.h>

/* An allocation of `size` bytes. True if it is sampled, at `*rate`. */
bool sg_native_countdown_step(uint64_t size, uint64_t *rate);

/* One byte in `rate` on average is sampled, 0 = none. What is left of earlier distances is dropped:
 * each stripe draws anew at its next step. */
void sg_native_countdown_set_rate(uint64_t rate);

/* The number of the calling thread's stripe; for tests. */
uint32_t sg_native_countdown_stripe(void);

#endif
