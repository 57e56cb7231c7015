/* Weights: what is kept with chance p stands for 1/p, so that sums have the right expectation.
 * Independent draws, or for releases the number until the next one, by inverse transform of the
 * geometric distribution. */
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
    double n = log(uniform) / log1p(-1 / (double)fraction);            /* of a geometric law */
    return n < 0x1p62 ? (uint64_t)n : UINT64_C(1) << 62;
}
