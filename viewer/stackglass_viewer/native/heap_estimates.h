/* Scaling of sampled heap rows to estimates of all allocations, as pprof does it. */
#ifndef SG_HEAP_ESTIMATES_H
#define SG_HEAP_ESTIMATES_H

#include <stddef.h>
#include <stdint.h>

/* Multiply each row's objects and bytes by 1/(1 - e^(-mean size/rate)), truncate, and limit the
 * results to 2^63 - 1. The factor is 1 if the rate is 0 or 1. Both results are 0 if objects or
 * bytes are not positive. */
void sg_heap_estimates_scale(const int64_t *objects, const int64_t *bytes, const uint64_t *rate,
                             size_t n, int64_t *scaled_objects, int64_t *scaled_bytes);

#endif
