/* Sample scaling: scales the weights of samples (tick_weight.h) so that they add up to the CPU time
 * that the program used: the process's CPU clock, less the engine's threads.
 *
 *     stack_cache, sample_log ──▶ drain: weight × scale ──▶ deliver
 *
 * Only the writer, which drains the samples, calls these functions. */
#ifndef STACKGLASS_CPU_SAMPLE_SCALING_H
#define STACKGLASS_CPU_SAMPLE_SCALING_H

#include <stdbool.h>
#include <stddef.h>

#include "cpu/sample.h"

/* Map the tables, once. Returns 0, or -1 if memory runs out. */
int sg_sample_scaling_prepare(void);
void sg_sample_scaling_discard(void);

/* Begin to count CPU time. */
void sg_sample_scaling_open(void);
/* Whether threads are sampled from now on: CPU time used while they are not gets no samples. */
void sg_sample_scaling_set_ticking(bool is_ticking);
/* Stop counting CPU time. One more drain delivers what is due. */
void sg_sample_scaling_close(void);

/* Deliver all samples taken since the last drain, scaled, and the lost ones as one sample. */
void sg_sample_scaling_drain(sg_sample_fn *deliver, void *context);

/* Return, since open: CPU time of the program; CPU time of the engine's threads; samples
 * delivered. */
uint64_t sg_sample_scaling_process_cpu_ns(void);
uint64_t sg_sample_scaling_engine_cpu_ns(void);
uint64_t sg_sample_scaling_samples(void);

#endif
