/* Wall sampler: where threads wait, and in which state, at random moments of the wall clock.
 *
 *     reader, each round, each thread:
 *       its CPU clock reads as before ──────────▶ it stands where it stood: one clock read
 *       else: what it sleeps in ─▶ walk from outside ─▶ clock again
 *               clock equal                      ▶ stack and state are exact
 *               it slept, then moved             ▶ the state counts, with the stack <unknown>
 *               it ran                           ▶ running, without a stack: CPU samples have it
 *
 * No signal is sent, so no system call is interrupted. A sample stands for the time since the round
 * before; so rounds may come late, as they do when they would take too much of a processor.
 * A look that finds a thread running counts the time for which it ran or wanted to. The stacks of
 * that time come from CPU samples, and the rest of it is a wait for a processor. So the wall
 * profile needs both. */
#ifndef STACKGLASS_CPU_WALL_SAMPLER_H
#define STACKGLASS_CPU_WALL_SAMPLER_H

#include <stdint.h>

#include "cpu/sample.h"

enum { SG_WALL_MAX_HZ = 1000 };

/* 0 = off: the reader ends; what it has sampled can still be drained. While the program's threads
 * are watched (sg_cpu_start). By the writer. */
void sg_wall_sampler_set_rate(unsigned hz);
/* Start the reader if it is wanted and could not be started. By the writer, regularly. */
void sg_wall_sampler_maintain(void);
/* Why the reader could not be started, one sentence; "" = it runs, or is off. By the writer. */
const char *sg_wall_sampler_problem(void);
/* Deliver all samples since the last drain. By the writer. */
void sg_wall_sampler_drain(sg_sample_fn *deliver, void *context);
/* In a forked child. */
void sg_wall_sampler_discard(void);

#endif
