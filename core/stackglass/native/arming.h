/* Which clock ticks, at what rate, by which signal, and which threads are armed with it.
 *
 * All under sg_threads_lock, on the engine's threads. */
#ifndef STACKGLASS_ARMING_H
#define STACKGLASS_ARMING_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu.h"

/* Choose a clock and claim a signal. NULL, or one sentence that says why not. */
const char *sg_arming_open(enum sg_clock clock);
/* Disarm every thread, give the signal back, forget the threads. */
void sg_arming_close(void);
/* As close, in a forked child: nothing that was armed came along. */
void sg_arming_discard(void);

/* Arm every thread, or change its rate; 0 = disarm. */
void sg_arming_set_period(uint64_t period_ns);
uint64_t sg_arming_period_ns(void);

/* Find threads that have started or ended. */
void sg_arming_scan(void);
/* Give the full period to those whose first, random one is over. */
void sg_arming_continue(void);
/* Draw other periods for threads that ticked a while: see VARIED_BY in arming.c. */
void sg_arming_vary(void);
uint64_t sg_arming_draw(uint64_t limit_ns); /* at random, 1…limit */
uint64_t sg_arming_draw_period(void);       /* at random, about the period that is set */
/* Tick by another signal from now on. */
void sg_arming_move_signal(void);
/* Look for threads that use CPU time and never tick: do they block our signal? */
void sg_arming_watch(void);
/* CPU time since the last call of threads that block our signal, through `book`. */
void sg_arming_book(void (*book)(void *context, pid_t tid, bool is_python, uint64_t cpu_ns),
                    void *context);

enum sg_clock sg_arming_clock(void); /* any thread */
int sg_arming_signal(void);          /* any thread; 0 = none */

#endif
