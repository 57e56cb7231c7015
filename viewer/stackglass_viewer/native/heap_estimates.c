/* The scaling is in C because its integers must equal the engine's, which uses the C library's
 * exp(); numpy's exp() may differ in the last bit. */
#include <math.h>

#include "heap_estimates.h"

static int64_t stretch(int64_t value, double scale) {
    if (scale == 1)
        return value;
    double scaled = (double)value * scale;
    return scaled < 0x1p63 ? (int64_t)scaled : INT64_MAX;
}

void sg_heap_estimates_scale(const int64_t *objects, const int64_t *bytes, const uint64_t *rate,
                             size_t n, int64_t *scaled_objects, int64_t *scaled_bytes) {
    for (size_t i = 0; i < n; i++) {
        scaled_objects[i] = scaled_bytes[i] = 0;
        if (objects[i] <= 0 || bytes[i] <= 0)
            continue;
        double scale = 1;
        if (rate[i] > 1)
            scale = 1 / (1 - exp(-((double)bytes[i] / (double)objects[i]) / (double)rate[i]));
        scaled_objects[i] = stretch(objects[i], scale);
        scaled_bytes[i] = stretch(bytes[i], scale);
    }
}
