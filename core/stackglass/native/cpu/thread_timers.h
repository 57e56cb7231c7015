/* Thread timers: the clock, its rate and its signal, and the threads that are armed with it.
 *
 *     found ──▶ starting ──▶ armed ⇄ outside      a thread's slot, while there is a rate
 *
 *     starting   the C library blocks all signals while a thread starts: looked at again (settle)
 *     armed      ticks by the clock's event or timer, or by the ticker
 *     outside    the thread blocks the signal, or has asked for none; or there is no signal, or
 *                no timer: sampled by outside_sampler.h
 *
 * All functions are called under sg_threads_lock, on the engine's threads, except where a line says
 * otherwise. */
#ifndef STACKGLASS_CPU_THREAD_TIMERS_H
#define STACKGLASS_CPU_THREAD_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

#include <sys/types.h>

#include "cpu/clock.h"

/* Claim a signal. Until a clock is chosen, the clock is SG_CLOCK_TICKER, or SG_CLOCK_OUTSIDE if no
 * signal is free. Returns NULL, or one sentence that says why not. */
const char *sg_thread_timers_open(void);
/* Use this clock from now on. Called while the period is 0. Returns NULL, or one sentence that says
 * why not; then the clock does not change. */
const char *sg_thread_timers_choose(enum sg_clock clock);
/* Disarm every thread and release the signal. */
void sg_thread_timers_close(void);
/* The same in a forked child, which inherits no timers and events. */
void sg_thread_timers_discard(void);

/* Arm every thread, or change its rate; 0 = disarm. */
void sg_thread_timers_set_period(uint64_t period_ns);
uint64_t sg_thread_timers_period_ns(void); /* the writer, which sets it, needs no lock */

/* Find threads that have started or ended since the last scan. */
void sg_thread_timers_scan(void);
/* Set the full period for threads that have had their first tick, after a random part of one. */
void sg_thread_timers_continue(void);
/* Draw new periods for threads that have had some ticks: see VARIED_BY in periods.c. */
void sg_thread_timers_vary(void);
uint64_t sg_thread_timers_draw_period(void); /* at random, about the period that is set */
/* Change to another signal, or to none if none is free. */
void sg_thread_timers_move_signal(void);
/* Claim a signal again if the program has released one. */
void sg_thread_timers_return(void);
/* Arm threads that have finished starting. Returns the time to the next call in ns; 0 = no thread
 * is starting. */
uint64_t sg_thread_timers_settle(void);
/* Called every 20 ms or so: find threads that use CPU time without ticks because they block the
 * signal, and threads that no longer block it. */
void sg_thread_timers_watch(void);
/* Disarm a thread that is about to block the signal, or to wait for it. Unknown threads are
 * ignored. */
void sg_thread_timers_take_outside(pid_t tid);
/* Arm a thread again that may have unblocked the signal. */
void sg_thread_timers_take_back(pid_t tid);
/* Whether any thread is sampled without a signal. */
bool sg_thread_timers_has_outside(void);

enum sg_clock sg_thread_timers_clock(void); /* any thread */
int sg_thread_timers_signal(void);          /* any thread; 0 = none */
/* Whether a thread may still be armed with signal `by`, or a pending one may come. Any thread may
 * call this. */
bool sg_thread_timers_may_send(int by);

#endif
