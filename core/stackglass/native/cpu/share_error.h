/* How far off shares of CPU time may be beside busy processes. See "By clock" in docs/limits.md. */
#ifndef STACKGLASS_CPU_SHARE_ERROR_H
#define STACKGLASS_CPU_SHARE_ERROR_H

#include <stdbool.h>

#include "cpu/cpu.h"

/* Any thread. `has_wall_timers`: the ticker's busy threads have timers of the system's clock.
 * `has_outside`: threads sampled
 * without a signal used a part of the CPU time that matters. */
struct sg_share_error sg_share_error_of(enum sg_clock clock, bool has_wall_timers,
                                        bool has_outside);

#endif
