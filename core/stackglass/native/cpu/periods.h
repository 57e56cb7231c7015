/* Periods: random times between ticks, in ns. Any thread may call these functions. */
#ifndef STACKGLASS_CPU_PERIODS_H
#define STACKGLASS_CPU_PERIODS_H

#include <stdint.h>

enum { SG_SHORTEST_PERIOD_NS = 10 * 1000 }; /* perf's own limit */

uint64_t sg_periods_draw(uint64_t limit_ns);        /* uniform, 1…limit */
uint64_t sg_periods_draw_about(uint64_t period_ns); /* a quarter longer or shorter at most */
/* Time to the first tick of a thread that has used `used_ns` of CPU time. */
uint64_t sg_periods_first(uint64_t period_ns, uint64_t used_ns);
/* The period of a CPU timer: not shorter than the kernel's tick. */
uint64_t sg_periods_of_timer(uint64_t period_ns);

#endif
