/* Perf clock: a task-clock event for each thread, which counts its CPU time.
 *
 * A signal from an event carries the descriptor's number, by which the handler finds the slot. All
 * functions are called under sg_threads_lock, on the engine's threads, which share one descriptor
 * table, except where a line says otherwise. */
#ifndef STACKGLASS_CPU_CLOCK_PERF_H
#define STACKGLASS_CPU_CLOCK_PERF_H

#include "cpu/threads.h"

/* Return NULL, or one sentence that says why there are no perf events. */
const char *sg_clock_perf_check(bool with_kernel);
/* Arm the slot's thread: it ticks once after `first_ns` of CPU time and, after
 * sg_clock_perf_continue, every `period_ns`. Returns false if the system gives no event. */
bool sg_clock_perf_arm(struct sg_slot *slot, bool with_kernel, uint64_t first_ns,
                       uint64_t period_ns, int signo);
void sg_clock_perf_continue(struct sg_slot *slot, uint64_t period_ns);
/* After some ticks, begin a period of another length, drawn about `period_ns`: see VARIED_BY in
 * periods.c. */
void sg_clock_perf_vary_period(struct sg_slot *slot, uint64_t period_ns);
void sg_clock_perf_set_signal(struct sg_slot *slot, int signo);
void sg_clock_perf_disarm(struct sg_slot *slot);
/* Return the slot of a descriptor, or NULL if there is none. Async-signal-safe, needs no lock. */
struct sg_slot *sg_clock_perf_slot_of(int fd);
void sg_clock_perf_forget(void); /* in a forked child */

#endif
