/* Scaling of heap samples to what they stand for. */
#ifndef SG_HEAP_ESTIMATES_H
#define SG_HEAP_ESTIMATES_H

#include <stddef.h>
#include <stdint.h>

/* Each row's objects and bytes times 1/(1 - e^(-mean size/rate)), truncated, at most 2^63 - 1; as
 * they are where the rate is 0 or 1, and 0 where either is. Nothing in them is negative. */
void sg_heap_estimates_scale(const int64_t *objects, const int64_t *bytes, const uint64_t *rate,
                             size_t n, int64_t *scaled_objects, int64_t *scaled_bytes);

#endif
