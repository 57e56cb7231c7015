/* Error of CPU shares: how far a function's share may be off while other processes keep the
 * processors busy. See "By clock" in docs/limits.md. */
#ifndef STACKGLASS_CPU_SHARE_ERROR_H
#define STACKGLASS_CPU_SHARE_ERROR_H

#include <stdbool.h>

#include <stdint.h>

#include "cpu/clock.h"

struct sg_share_error {
    uint32_t points;   /* percentage points; 0 = at most 5 */
    const char *cause; /* a clause, constant; "" = no error above 5 */
};

/* What raises the error of a clock. */
struct sg_error_causes {
    bool has_wall_timers; /* the ticker's busy threads have wall timers, which lowers it */
    bool has_outside;     /* threads sampled without a signal used a significant part of the CPU
                           * time */
    bool has_long_calls;  /* as did system calls whose late ticks did not count (clock_timer.h) */
};

/* Return the error of `clock`. Any thread may call this. */
struct sg_share_error sg_share_error_of(enum sg_clock clock, struct sg_error_causes causes);

#endif
