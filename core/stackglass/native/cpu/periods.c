/* Draws of random periods, and the limits of clocks. */
#include "cpu/periods.h"

#include <time.h>

#include "platform/random_bits.h"

enum {
    SHORTEST_TIMER_NS = 1000 * 1000, /* the kernel's tick is not faster */
    /* A program with a cycle of 2 ms, sampled at 1 kHz, would always be found at the same two
     * places (errors of 14 points in a share were measured). So after some ticks the period is
     * drawn anew, at most a quarter longer or shorter. */
    VARIED_BY = 4,
};

uint64_t sg_periods_draw(uint64_t limit_ns) { return sg_random_bits() % limit_ns + 1; }

uint64_t sg_periods_draw_about(uint64_t period_ns) {
    return period_ns - period_ns / VARIED_BY + sg_periods_draw(2 * period_ns / VARIED_BY);
}

uint64_t sg_periods_first(uint64_t period_ns, uint64_t used_ns) {
    /* Uniform over the thread's first period, wherever in it the thread was found: a thread that
     * uses a tenth of a period is seen with a probability of a tenth. */
    uint64_t phase = sg_periods_draw(period_ns);
    return phase > used_ns + SG_SHORTEST_PERIOD_NS ? phase - used_ns : SG_SHORTEST_PERIOD_NS;
}

/* The kernel checks CPU timers in its tick, which is the resolution of the coarse clock. */
uint64_t sg_periods_of_timer(uint64_t period_ns) {
    struct timespec tick;
    uint64_t shortest_ns = SHORTEST_TIMER_NS;
    if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 && tick.tv_nsec > SHORTEST_TIMER_NS)
        shortest_ns = (uint64_t)tick.tv_nsec;
    return period_ns > shortest_ns ? period_ns : shortest_ns;
}
