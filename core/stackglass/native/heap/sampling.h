/* Which allocations are sampled, and what a sample stands for. Pure, but for
 * platform/random_bits.h.
 *
 * Points lie on the stream of allocated bytes, exponentially distributed, one in `rate` bytes on
 * average; an allocation is sampled if one of them falls into it:
 *
 *     │ 48 │ 48 │   1 KiB   │ 56 │              chance of size s: 1 - e^(-s/rate)
 *     ───────────────x─────────────────▶ bytes
 *                  sampled
 *
 * The distribution has no memory, so the next distance counts from the end of the sampled one, and
 * bytes that are not to be sampled (the engine's) need no special care. */
#ifndef STACKGLASS_HEAP_SAMPLING_H
#define STACKGLASS_HEAP_SAMPLING_H

#include <stdint.h>

/* How many bytes there are to the next sample: allocations are sampled whose size is at least what
 * is left of it. 0 at rate 1; at rate 0 more than can ever be allocated. Any thread, lock-free. */
uint64_t sg_heap_sampling_draw(uint64_t rate);

/* Size classes: of 16 bytes each up to 512, above that four to a doubling. */
uint32_t sg_heap_sampling_size_class(uint64_t size);
uint64_t sg_heap_sampling_least_size(uint32_t size_class);

#endif
