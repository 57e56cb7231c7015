/* Weights of sampled waits and releases: one that is kept with probability p has the weight 1/p, so
 * that sums are unbiased. Each wait is drawn by itself. For releases, the number that pass before
 * the next one is kept can be drawn in advance: it is geometric, drawn by inverse transform. */
#include "contention/sampling.h"

#include <math.h>

#include "platform/random_bits.h"

double sg_contention_sampling_weigh_wait(uint64_t delay_ns, uint64_t rate_ns) {
    if (!rate_ns)
        return 0;
    if (delay_ns >= rate_ns)
        return 1;
    return sg_random_bits() % rate_ns < delay_ns ? (double)rate_ns / (double)delay_ns : 0;
}

double sg_contention_sampling_weigh_release(uint64_t fraction) {
    return fraction && sg_random_bits() % fraction == 0 ? (double)fraction : 0;
}

uint64_t sg_contention_sampling_draw_passing(uint64_t fraction) {
    if (fraction <= 1)
        return 0;
    double uniform = (double)((sg_random_bits() >> 11) + 1) * 0x1p-53; /* (0, 1] */
    double n = log(uniform) / log1p(-1 / (double)fraction);
    return n < 0x1p62 ? (uint64_t)n : UINT64_C(1) << 62;
}
