/* Slot timer: arms one thread, that is its slot (threads.h), with the clock, the rate and the
 * signal in use. thread_timers.h decides which threads, when, and with what.
 *
 *     arm ─▶ still starting? ─▶ is_starting: armed later
 *       ├──▶ blocks the signal, or there is none ─▶ outside
 *       └──▶ event, timer or ticker ─▶ armed; if the system gives none: outside
 *
 * All functions are called under sg_threads_lock, on the engine's threads. */
#ifndef STACKGLASS_CPU_SLOT_TIMER_H
#define STACKGLASS_CPU_SLOT_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/clock.h"
#include "cpu/threads.h"

/* What threads are armed with, and how many are not. Written under sg_threads_lock; the atomic
 * fields are read by any thread. */
extern struct sg_slot_timer {
    _Atomic enum sg_clock clock;
    _Atomic int signo;   /* 0 = none */
    uint64_t period_ns;  /* 0 = no thread is armed */
    uint32_t n_starting; /* threads that are still starting */
    uint32_t n_outside;  /* threads that are sampled without a signal */
} sg_slot_timer;

/* Arm a thread, whose last `used_ns` of CPU time have not been sampled. Reads its mask first,
 * because a thread that blocks the signal must not get it; while a thread starts, its mask is not
 * the final one. */
void sg_slot_timer_arm(struct sg_slot *slot, uint64_t used_ns);
void sg_slot_timer_disarm(struct sg_slot *slot);
/* Disarm a thread, and sample it without a signal (outside_sampler.h). Its CPU time from
 * `booked_ns` on is still to be booked. */
void sg_slot_timer_put_outside(struct sg_slot *slot, uint64_t booked_ns);

/* Change an armed thread to the present period, or signal. */
void sg_slot_timer_change_period(struct sg_slot *slot);
void sg_slot_timer_change_signal(struct sg_slot *slot);
/* Set the full period if the thread has had its first tick, after a random part of one. */
void sg_slot_timer_continue(struct sg_slot *slot);
/* Draw a new period for the thread's perf event. */
void sg_slot_timer_vary(struct sg_slot *slot);
/* Continue an event whose first tick was lost: it would never tick again. Pending signals of one
 * number merge, so a tick is lost if a timer's signal or the program's own comes at the same
 * moment, or if the program has just installed its own handler. */
void sg_slot_timer_revive(struct sg_slot *slot);

/* Return the thread's CPU clock, in ns. */
uint64_t sg_slot_timer_cpu_ns(const struct sg_slot *slot);

static inline bool sg_slot_timer_is_in_mask(uint64_t mask, int signo) {
    return signo && mask >> (signo - 1) & 1;
}

#endif
