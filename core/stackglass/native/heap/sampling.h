/* Heap sampling: which allocations are sampled, their size classes, and how samples are scaled back
 * (unsampled). Pure functions, except for the random bits (platform/random_bits.h).
 *
 *     P(sample an allocation of s bytes) = 1 - e^(-s/rate)
 *
 * Sample points lie on the stream of allocated bytes at exponentially distributed distances, `rate`
 * on average; an allocation is sampled if it contains one:
 *
 *     │ 48 │ 48 │   1 KiB   │ 56 │
 *     ───────────────x─────────────────▶ bytes
 *                  sampled
 *
 * The distribution has no memory: the next distance counts from the end of the sampled allocation,
 * and the engine's own bytes can simply be left out. */
#ifndef STACKGLASS_HEAP_SAMPLING_H
#define STACKGLASS_HEAP_SAMPLING_H

#include <stdint.h>

/* Draw the bytes to the next sample point: 0 at rate 1; at rate 0 more than can ever be allocated.
 * The caller subtracts allocations; the first allocation that is at least as large as the rest is
 * sampled. Any thread, lock-free. */
uint64_t sg_heap_sampling_draw(uint64_t rate);

/* Size classes, as allocators have them: of 16 bytes each up to 512, then four to each doubling.
 *
 *     0 │ 1…16 │ 17…32 │ … │ 497…512 │ 513…640 │ 641…768 │ 769…896 │ 897…1024 │ 1025…1280 │ …
 *
 * Profiles name a class by its largest size, so that the size of a bucket is constant. A power of
 * two is the largest size of its class. sg_heap_sampling_size_class returns the number of the class
 * of `size`, sg_heap_sampling_class_size the largest size of a class. */
uint32_t sg_heap_sampling_size_class(uint64_t size);
uint64_t sg_heap_sampling_class_size(uint32_t size_class);

/* Estimate the allocations that `allocs` samples of `bytes` in all, taken at `rate`, stand for:
 *
 *     scale = 1/(1 - e^(-(bytes/allocs)/rate))        1 at a rate of 1 or less
 *     *objects = allocs * scale, *space = bytes * scale, both truncated
 *
 * Both are 0 if `allocs` or `bytes` is 0. */
void sg_heap_sampling_unsample(uint64_t allocs, uint64_t bytes, uint64_t rate, uint64_t *objects,
                               uint64_t *space);

#endif
