/* CPU samples of threads that must not get a signal: those that block ours, and all threads where
 * no signal is free.
 *
 * A thread of ours looks at them at random moments. Whether one runs just then, only the scheduler
 * knows; so the reader goes to its processor, where it can run only while the reader does not:
 *
 *     its CPU clock moved while the reader was on its way,  it was running
 *     the kernel calls it runnable, on the reader's processor,  it has been interrupted by us
 *     the walk says that it has not moved since (outside_walk.h)  ▶ the stack is what it ran
 *
 * A stack stands for part of the thread's CPU time that is not accounted for yet. Where the thread
 * moved all the same, the time is booked as <signal blocked>; where it sleeps or only waits for a
 * processor nothing is known, and its time stays due until a later look. */
#ifndef STACKGLASS_CPU_OUTSIDE_SAMPLER_H
#define STACKGLASS_CPU_OUTSIDE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

/* By the writer, at each tend: have a thread that looks while `is_wanted`. NULL, or one sentence if
 * none has been started for a second. */
const char *sg_outside_sampler_tend(bool is_wanted);
/* No look is under way any more. */
void sg_outside_sampler_stop(void);
void sg_outside_sampler_discard(void); /* in a forked child */

/* Since the process began, any thread: stacks taken, looks that ended in <signal blocked>, and the
 * CPU time that both stand for. */
struct sg_outside_counts {
    uint64_t n_stacks, n_blocked, booked_ns;
};
struct sg_outside_counts sg_outside_sampler_counts(void);

#endif
