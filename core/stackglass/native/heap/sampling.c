/* Distances are drawn by inverse transform: -ln(U) * rate, with U uniform in (0, 1].
 *
 * The numbers of size classes: 0 … 32 for the sizes up to 512, in steps of 16. A larger size's
 * number consists of the position of the highest bit of size - 1 and the two bits below it. (With
 * size - 1, a power of two is the last size of its class.) */
#include "heap/sampling.h"

#include <math.h>

#include "platform/random_bits.h"

enum {
    SMALL_STEP = 16,
    LARGEST_SMALL = 512,
    N_SMALL = LARGEST_SMALL / SMALL_STEP + 1, /* with the class of size 0 */
    LOG2_LARGEST_SMALL = 9,
    STEPS = 4, /* classes in each doubling */
};

uint64_t sg_heap_sampling_draw(uint64_t rate) {
    const double limit = 9e18; /* below 2^63, so that the distance fits into an int64_t */
    if (rate <= 1)
        return rate ? 0 : UINT64_MAX;
    double uniform = (double)((sg_random_bits() >> 11) + 1) * 0x1p-53; /* (0, 1] */
    double distance = ceil(-log(uniform) * (double)rate);
    return distance < 1 ? 1 : distance < limit ? (uint64_t)distance : (uint64_t)limit;
}

uint32_t sg_heap_sampling_size_class(uint64_t size) {
    if (size <= LARGEST_SMALL)
        return (uint32_t)((size + SMALL_STEP - 1) / SMALL_STEP);
    uint32_t log2 = 63 - (uint32_t)__builtin_clzll(size - 1);
    uint32_t step = (uint32_t)((size - 1) >> (log2 - 2)) % STEPS;
    return N_SMALL + (log2 - LOG2_LARGEST_SMALL) * STEPS + step;
}

uint64_t sg_heap_sampling_class_size(uint32_t size_class) {
    if (size_class < N_SMALL)
        return (uint64_t)size_class * SMALL_STEP;
    uint32_t log2 = LOG2_LARGEST_SMALL + (size_class - N_SMALL) / STEPS;
    uint64_t after = (uint64_t)(STEPS + (size_class - N_SMALL) % STEPS + 1) << (log2 - 2);
    return after ? after : UINT64_MAX; /* 2^64 */
}

/* Return value * scale, truncated; UINT64_MAX if the product is larger. */
static uint64_t stretch(uint64_t value, double scale) {
    if (scale == 1)
        return value;
    double scaled = (double)value * scale;
    return scaled < 0x1p64 ? (uint64_t)scaled : UINT64_MAX;
}

void sg_heap_sampling_unsample(uint64_t allocs, uint64_t bytes, uint64_t rate, uint64_t *objects,
                               uint64_t *space) {
    *objects = *space = 0;
    if (!allocs || !bytes)
        return;
    double scale = 1;
    if (rate > 1)
        scale = 1 / (1 - exp(-((double)bytes / (double)allocs) / (double)rate));
    *objects = stretch(allocs, scale);
    *space = stretch(bytes, scale);
}
