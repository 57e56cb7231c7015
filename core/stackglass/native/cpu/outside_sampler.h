/* Outside sampler: CPU samples of threads that must not get a signal. These are threads that block
 * the sampler's signal, and all threads where no signal is free.
 *
 * An engine thread, the reader, visits them at random moments. Only the scheduler knows whether a
 * thread is running; so the reader moves to the thread's processor, where the thread cannot run
 * meanwhile:
 *
 *     its CPU clock moved while the reader was on its way         it was running
 *     the kernel calls it runnable, on the reader's processor     the reader has interrupted it
 *     the walk finds that it has not moved since (outside_walk.h) ▶ the stack is what it ran
 *
 * A thread's CPU time is due until samples stand for it: until it is booked. A stack books a part
 * of the due time. If the thread moved all the same, the time is booked as <signal blocked>. If it
 * sleeps or waits for a processor, its time stays due until a later visit, at most 0.7 s; then it
 * is booked as <signal blocked>, too. */
#ifndef STACKGLASS_CPU_OUTSIDE_SAMPLER_H
#define STACKGLASS_CPU_OUTSIDE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

/* Start or stop the reader. The writer calls this regularly. Returns NULL, or one sentence if the
 * reader could not be started for a second. */
const char *sg_outside_sampler_maintain(bool is_wanted);
/* Stop the reader, and wait until it has ended. */
void sg_outside_sampler_stop(void);
void sg_outside_sampler_discard(void); /* in a forked child */

/* Since the process began: stacks, visits that ended in <signal blocked>, and the CPU time that
 * both stand for. Any thread may call this. */
struct sg_outside_counts {
    uint64_t n_stacks, n_blocked, booked_ns;
};
struct sg_outside_counts sg_outside_sampler_counts(void);

/* Steps of a round, which the reader calls; for tests. begin_round copies the states of the threads
 * to be visited, and returns a random period, or 0 if the sampler is off; end_round writes the
 * states back. */
uint64_t sg_outside_sampler_begin_round(void);
void sg_outside_sampler_end_round(void);

#endif
