/* Which clock ticks, at what rate, by which signal, and which threads are armed with it.
 *
 * All under sg_threads_lock, on the engine's threads. */
#ifndef STACKGLASS_CPU_THREAD_TIMERS_H
#define STACKGLASS_CPU_THREAD_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

#include <sys/types.h>

#include "cpu/clock.h"

/* Claim a signal. The clock is SG_CLOCK_TICKER until one is chosen, or SG_CLOCK_OUTSIDE if no
 * signal is free. NULL, or one sentence that says why not. */
const char *sg_thread_timers_open(void);
/* Tick by this clock from now on; the period is 0. NULL, or one sentence that says why not; then
 * the clock stays what it is. */
const char *sg_thread_timers_choose(enum sg_clock clock);
/* Disarm every thread, give the signal back, forget the threads. */
void sg_thread_timers_close(void);
/* As close, in a forked child: nothing that was armed came along. */
void sg_thread_timers_discard(void);

/* Arm every thread, or change its rate; 0 = disarm. */
void sg_thread_timers_set_period(uint64_t period_ns);
uint64_t sg_thread_timers_period_ns(void);

/* Find threads that have started or ended. */
void sg_thread_timers_scan(void);
/* Give the full period to those whose first, random one is over. */
void sg_thread_timers_continue(void);
/* Draw other periods for threads that ticked a while: see VARIED_BY in periods.c. */
void sg_thread_timers_vary(void);
uint64_t sg_thread_timers_draw_period(void); /* at random, about the period that is set */
/* Tick by another signal from now on, or by none. */
void sg_thread_timers_move_signal(void);
/* The program has given a signal back: tick by it again. */
void sg_thread_timers_return(void);
/* Arm threads that had been starting. When to call it again, in ns; 0 = no thread is starting. */
uint64_t sg_thread_timers_settle(void);
/* Look for threads that use CPU time and never tick: do they block our signal? And for those that
 * did: do they still? Some 20 ms apart. */
void sg_thread_timers_watch(void);
/* The thread is about to block signals, or to wait for one: it gets none from here on. Unknown
 * threads are left alone. */
void sg_thread_timers_take_outside(pid_t tid);
/* It may have unblocked them. */
void sg_thread_timers_take_back(pid_t tid);
/* Is any thread sampled without a signal? */
bool sg_thread_timers_has_outside(void);

enum sg_clock sg_thread_timers_clock(void); /* any thread */
int sg_thread_timers_signal(void);          /* any thread; 0 = none */

#endif
