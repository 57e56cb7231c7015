/* Timers that signal one thread: on its CPU clock, and on the system's clock for the ticker.
 *
 * A signal carries the slot's address. All functions are called under sg_threads_lock, on the
 * engine's threads, except where a line says otherwise. */
#ifndef STACKGLASS_CPU_CLOCK_TIMER_H
#define STACKGLASS_CPU_CLOCK_TIMER_H

#include <signal.h>

#include "cpu/threads.h"

/* Return NULL, or one sentence that says why there are no CPU timers. */
const char *sg_clock_timer_check(void);
/* Arm a timer on the thread's CPU clock, which the kernel checks only in its own tick (1 to 10 ms).
 * Returns false if the system gives none. */
bool sg_clock_timer_arm(struct sg_slot *slot, uint64_t first_ns, uint64_t period_ns, int signo);
/* Period 0 = pause. */
void sg_clock_timer_set_period(struct sg_slot *slot, uint64_t first_ns, uint64_t period_ns);
void sg_clock_timer_disarm(struct sg_slot *slot);

/* Arm a timer on the system's clock, which signals the thread whether it runs or not. Returns false
 * if the system gives none. */
bool sg_clock_timer_arm_wall(struct sg_slot *slot, int signo);
/* Whether a wall timer can be had: false where timers are not permitted, or where the system
 * refused the last one. Any thread may call this. */
bool sg_clock_timer_wall_is_possible(void);
/* Period 0 = pause. */
void sg_clock_timer_set_wall_period(struct sg_slot *slot, uint64_t first_ns, uint64_t period_ns);
void sg_clock_timer_disarm_wall(struct sg_slot *slot);
/* Did the calling thread run when the wall timer that sent this signal expired? Async-signal-safe,
 * needs no lock. */
bool sg_clock_timer_found_it_running(struct sg_slot *slot, const siginfo_t *info,
                                     bool is_interrupted_call);
/* Return how much CPU time was spent in system calls whose ticks came late and did not count: of
 * all threads, since the library was loaded. It is a lower bound. Lock-free. */
uint64_t sg_clock_timer_uncounted_ns(void);

#endif
