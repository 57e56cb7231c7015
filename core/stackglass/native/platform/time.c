/* Clocks of the system, of the process and of threads. */
#include "platform/time.h"

bool sg_time_read(clockid_t clock, uint64_t *ns) {
    struct timespec time;
    if (clock_gettime(clock, &time) != 0)
        return false;
    *ns = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    return true;
}

uint64_t sg_time_clock_ns(clockid_t clock) {
    uint64_t ns;
    return sg_time_read(clock, &ns) ? ns : 0;
}

uint32_t sg_time_units_since(int64_t start_mono_ns) {
    int64_t since_ns = (int64_t)sg_time_clock_ns(CLOCK_MONOTONIC_COARSE) - start_mono_ns;
    return since_ns > 0 ? (uint32_t)(since_ns / SG_TIME_UNIT_NS) : 0;
}
