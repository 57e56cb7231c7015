/* Clocks: the system's, the process's and each thread's, in nanoseconds. Any thread,
 * async-signal-safe. */
#ifndef STACKGLASS_PLATFORM_TIME_H
#define STACKGLASS_PLATFORM_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Read a clock; false if it does not exist, as that of a thread which has ended. */
bool sg_time_read(clockid_t clock, uint64_t *ns);
/* The same; 0 if it does not exist. */
uint64_t sg_time_clock_ns(clockid_t clock);

/* CLOCK_MONOTONIC. */
static inline int64_t sg_time_mono_ns(void) { return (int64_t)sg_time_clock_ns(CLOCK_MONOTONIC); }

/* The CPU clock of a thread of this process, as the kernel encodes it: the tid's complement, then 4
 * (of a thread) and 2 (CPU time). */
static inline clockid_t sg_time_thread_clock(pid_t tid) {
    return (clockid_t)(~(uint32_t)tid << 3 | 6);
}

/* Unit of the times recorded with samples and events. */
enum { SG_TIME_UNIT_NS = 10 * 1000 * 1000 };

/* SG_TIME_UNIT_NS units from `start_mono_ns` to the kernel's last tick, which is at most 4 ms old;
 * costs a third of a reading of CLOCK_MONOTONIC. */
uint32_t sg_time_units_since(int64_t start_mono_ns);

#endif
