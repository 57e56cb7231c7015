/* Names of the clocks, and the choice of the best one that the system permits. */
#include "cpu/clock.h"

#include <stddef.h>

#include "cpu/clock_perf.h"
#include "cpu/clock_timer.h"

const char *sg_clock_name(enum sg_clock clock) {
    static const char *const NAMES[] = {
        [SG_CLOCK_AUTO] = "auto",
        [SG_CLOCK_PERF] = "perf",
        [SG_CLOCK_PERF_TIMER] = "perf+timer",
        [SG_CLOCK_TICKER] = "ticker",
        [SG_CLOCK_TIMER] = "timer",
        [SG_CLOCK_OUTSIDE] = "outside",
    };
    return NAMES[clock];
}

const char *sg_clock_choose(enum sg_clock wanted, enum sg_clock *chosen) {
    const char *problem = NULL;
    *chosen = wanted;
    switch (wanted) {
    case SG_CLOCK_AUTO:
        if (!sg_clock_perf_check(true))
            *chosen = SG_CLOCK_PERF;
        else if (!sg_clock_perf_check(false) && !sg_clock_timer_check())
            *chosen = SG_CLOCK_PERF_TIMER;
        else
            *chosen = SG_CLOCK_TICKER;
        return NULL;
    case SG_CLOCK_PERF:
        return sg_clock_perf_check(true);
    case SG_CLOCK_PERF_TIMER:
        problem = sg_clock_perf_check(false);
        return problem ? problem : sg_clock_timer_check();
    case SG_CLOCK_TICKER:
    case SG_CLOCK_OUTSIDE:
        return NULL;
    case SG_CLOCK_TIMER:
        return sg_clock_timer_check();
    }
    return "there is no such clock";
}
