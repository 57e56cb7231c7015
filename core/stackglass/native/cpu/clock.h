/* Clock: the mechanism that makes a thread tick as it uses CPU time. Ticks give samples. */
#ifndef STACKGLASS_CPU_CLOCK_H
#define STACKGLASS_CPU_CLOCK_H

enum sg_clock {
    SG_CLOCK_AUTO = 0,
    SG_CLOCK_PERF,       /* perf task-clock, user and kernel time */
    SG_CLOCK_PERF_TIMER, /* perf task-clock for user time, thread CPU timers for kernel time */
    SG_CLOCK_TICKER,     /* an engine thread signals threads when it finds them running */
    SG_CLOCK_TIMER,      /* thread CPU timers alone */
    SG_CLOCK_OUTSIDE,    /* no signal: an engine thread reads the frames of running threads */
};
const char *sg_clock_name(enum sg_clock clock);

/* Choose `wanted`, or for SG_CLOCK_AUTO the best clock that the system permits. Returns NULL, or
 * one sentence that says why the clock cannot be used. Only engine threads call this. */
const char *sg_clock_choose(enum sg_clock wanted, enum sg_clock *chosen);

#endif
