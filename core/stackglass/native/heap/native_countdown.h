/* Native countdown: decides which allocations of other allocators than Python's are sampled.
 *
 * Threads allocate without the GIL, so one countdown for all would be a cache line that every
 * allocation of every thread writes. There are 256 countdowns instead, called stripes, and each
 * thread uses one of them. The distribution of distances has no memory (sampling.h), so threads may
 * share a stripe. All functions are lock-free and async-signal-safe, for any thread. */
#ifndef STACKGLASS_HEAP_NATIVE_COUNTDOWN_H
#define STACKGLASS_HEAP_NATIVE_COUNTDOWN_H

#include <stdbool.h>
#include <stdint.h>

/* Count an allocation of `size` bytes. Returns whether it is sampled, and sets `rate`. */
bool sg_native_countdown_step(uint64_t size, uint64_t *rate);

/* Sample one byte in `rate` on average, 0 = none. Each stripe drops the rest of its distance, and
 * draws a new distance at its next step. */
void sg_native_countdown_set_rate(uint64_t rate);

/* Return the number of the calling thread's stripe; for tests. */
uint32_t sg_native_countdown_stripe(void);

#endif
