/* What makes a thread's ticks: a perf event, a CPU timer, or the ticker.
 *
 * All under sg_threads_lock, on the engine's threads, which share one descriptor table that the
 * program's threads do not see. */
#ifndef STACKGLASS_CPU_CLOCK_H
#define STACKGLASS_CPU_CLOCK_H

#include <signal.h>

#include "cpu/threads.h"

/* The clock for `wanted`: the same, or for SG_CLOCK_AUTO the best that the system permits. NULL, or
 * one sentence that says why not. */
const char *sg_clock_choice_choose(enum sg_clock wanted, enum sg_clock *chosen);

/* A perf task-clock event, counting this thread's CPU time. A signal from it carries the
 * descriptor's number, by which the handler finds the slot. */
const char *sg_clock_perf_check(bool with_kernel); /* NULL, or why it cannot be had here */
/* First tick after `first_ns` of CPU time; then, once told with sg_clock_perf_continue, every
 * `period_ns`. False if no event can be had. */
bool sg_clock_perf_arm(struct sg_slot *slot, bool with_kernel, uint64_t first_ns,
                       uint64_t period_ns, int signo);
void sg_clock_perf_continue(struct sg_slot *slot, uint64_t period_ns);
/* Begins a period of the new length now: what had passed of the one before brings no tick. */
void sg_clock_perf_change_period(struct sg_slot *slot, uint64_t period_ns);
void sg_clock_perf_set_signal(struct sg_slot *slot, int signo);
void sg_clock_perf_disarm(struct sg_slot *slot);
/* Whose descriptor is this? NULL = nobody's. Async-signal-safe. */
struct sg_slot *sg_clock_perf_slot_of(int fd);
void sg_clock_perf_forget(void);

/* A timer on the thread's CPU clock, which the kernel looks at once in its own tick (1 to 10 ms).
 * Its signal carries the slot's address. */
const char *sg_clock_timer_check(void);
bool sg_clock_timer_arm(struct sg_slot *slot, uint64_t first_ns, uint64_t period_ns, int signo);
/* Period 0 = pause. */
void sg_clock_timer_set_period(struct sg_slot *slot, uint64_t first_ns, uint64_t period_ns);
void sg_clock_timer_disarm(struct sg_slot *slot);

/* A timer of the system's clock that signals one thread, whether that runs or not. Its signal
 * carries the slot's address. False if none can be had. */
bool sg_clock_timer_arm_wall(struct sg_slot *slot, int signo);
/* False where timers are not permitted, or the system refused the one requested last. Any thread.
 */
bool sg_clock_timer_wall_is_possible(void);
/* Period 0 = pause. */
void sg_clock_timer_set_wall_period(struct sg_slot *slot, uint64_t first_ns, uint64_t period_ns);
void sg_clock_timer_disarm_wall(struct sg_slot *slot);
/* Did the calling thread run when the timer that brought this signal expired? Async-signal-safe. */
bool sg_wall_tick_found_it_running(struct sg_slot *slot, const siginfo_t *info,
                                   bool is_interrupted_call);

/* The ticker finds out which threads run: those that do at look after look get a timer of the
 * system's clock; to the others it sends a signal itself, with the slot's address, if they run at
 * the moment of a look. Called by a thread that the engine keeps for it. */
struct sg_ticker_call {
    int signo;
    uint64_t due_ns; /* CLOCK_MONOTONIC: when it was to be called */
    uint64_t period_ns;
    uint64_t (*draw)(uint64_t limit); /* uniform, 1…limit */
};
void sg_clock_ticker_arm(struct sg_slot *slot);
/* Begins a look, or goes on with it. When to go on, CLOCK_MONOTONIC ns; 0 = the look is over. */
uint64_t sg_clock_ticker_tick(const struct sg_ticker_call *call);

#endif
