/* Wall sampler: an engine thread that samples where all threads wait, and in which state, at random
 * moments of the wall clock. No signal is sent, so no system call is interrupted.
 *
 *     each round, each thread:
 *       its CPU clock reads as before ──────────▶ it has not moved: the last sample counts again
 *       else: what it sleeps in ─▶ walk from outside ─▶ clock again
 *               clock equal                      ▶ stack and state are exact
 *               it slept, then moved             ▶ the state counts, with the stack <unknown>
 *               it ran                           ▶ running, without a stack: CPU samples have it
 *
 * A sample stands for the time since the previous round. So rounds may be late; they are, if they
 * would take too much of a processor.
 *
 * "Running" means that the thread ran or waited for a processor. CPU samples have the stacks of the
 * part for which it ran. The wall profile is made from both: what remains is the wait. */
#ifndef STACKGLASS_CPU_WALL_SAMPLER_H
#define STACKGLASS_CPU_WALL_SAMPLER_H

#include <stdint.h>

#include "cpu/sample.h"

enum { SG_WALL_MAX_HZ = 1000 };

/* Set the rate. 0 = off: the sampler's thread ends; its samples can still be drained. Only the
 * writer calls this, while the program's threads are watched (sg_cpu_start). */
void sg_wall_sampler_set_rate(unsigned hz);
/* Try to start the thread again if it could not be started. The writer calls this regularly. */
void sg_wall_sampler_maintain(void);
/* Return one sentence that says why the thread could not be started; "" = it runs, or is off. Only
 * the writer calls this. */
const char *sg_wall_sampler_problem(void);
/* Deliver all samples since the last drain. Samples that were lost because memory was short, or
 * because there were too many, are one more sample, with the frame <lost samples>. Only the writer
 * calls this. */
void sg_wall_sampler_drain(sg_sample_fn *deliver, void *context);
/* In a forked child, which does not have the thread. */
void sg_wall_sampler_discard(void);

#endif
