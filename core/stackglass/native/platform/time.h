/* Clocks: the system's, the process's and each thread's, in nanoseconds. Any thread,
 * async-signal-safe. */
#ifndef STACKGLASS_PLATFORM_TIME_H
#define STACKGLASS_PLATFORM_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Read a clock. Returns false if the clock does not exist, like that of a thread that has ended. */
bool sg_time_read(clockid_t clock, uint64_t *ns);
/* Return the time of a clock; 0 if the clock does not exist. */
uint64_t sg_time_clock_ns(clockid_t clock);

/* Return CLOCK_MONOTONIC. */
static inline int64_t sg_time_mono_ns(void) { return (int64_t)sg_time_clock_ns(CLOCK_MONOTONIC); }

/* Return the CPU clock of a thread of this process, as the kernel encodes it: the tid's complement,
 * then the bits 4 (CPUCLOCK_PERTHREAD_MASK) and 2 (CPUCLOCK_SCHED). */
static inline clockid_t sg_time_thread_clock(pid_t tid) {
    return (clockid_t)(~(uint32_t)tid << 3 | 6);
}

/* Unit of the times recorded with samples and events. */
enum { SG_TIME_UNIT_NS = 10 * 1000 * 1000 };

/* Return the number of SG_TIME_UNIT_NS units from `start_mono_ns` to the kernel's last tick, which
 * is at most 10 ms old (4 ms with CONFIG_HZ=250). This costs a third of a reading of
 * CLOCK_MONOTONIC. */
uint32_t sg_time_units_since(int64_t start_mono_ns);

#endif
