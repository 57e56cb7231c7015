/* Largest measured errors of CPU shares, by clock, rounded up; measured beside three to some twenty
 * busy processes on two processors (docs/limits.md, "By clock";
 * tests/targets/sampler/crowded_shares.py). */
#include "cpu/share_error.h"

enum {
    OF_PERF_TIMER = 25,
    OF_TIMER = 40, /* 39.5 was measured, beside ten busy processes and sixteen tests at a time */
    OF_TICKER_WITHOUT_TIMERS = 9,
    OF_OUTSIDE = 40,
    OF_LONG_CALLS = 40, /* 27 to 38 were measured, beside many processes */
};

static struct sg_share_error of_clock(enum sg_clock clock, bool has_wall_timers) {
    switch (clock) {
    case SG_CLOCK_PERF_TIMER:
        return (struct sg_share_error){OF_PERF_TIMER,
                                       "CPU timers tick less often soon after a system call"};
    case SG_CLOCK_TIMER:
        return (struct sg_share_error){OF_TIMER,
                                       "CPU timers tick less often soon after a system call"};
    case SG_CLOCK_TICKER:
        if (!has_wall_timers)
            return (struct sg_share_error){OF_TICKER_WITHOUT_TIMERS,
                                           "this process may not use timers"};
        break;
    case SG_CLOCK_OUTSIDE:
        return (struct sg_share_error){OF_OUTSIDE, "threads are sampled without a signal"};
    case SG_CLOCK_AUTO:
    case SG_CLOCK_PERF:
        break;
    }
    return (struct sg_share_error){0, ""};
}

struct sg_share_error sg_share_error_of(enum sg_clock clock, struct sg_error_causes causes) {
    struct sg_share_error error = of_clock(clock, causes.has_wall_timers);
    if (causes.has_long_calls && clock == SG_CLOCK_TICKER)
        error = (struct sg_share_error){OF_LONG_CALLS,
                                        "long system calls lost the processor in their middle"};
    if (causes.has_outside && error.points < OF_OUTSIDE)
        error = (struct sg_share_error){OF_OUTSIDE, "some threads are sampled without a signal"};
    return error;
}
