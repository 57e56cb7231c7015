/* Sample weighting: turns ticks into samples that add up to the CPU time used. */
#ifndef STACKGLASS_CPU_SAMPLE_WEIGHTING_H
#define STACKGLASS_CPU_SAMPLE_WEIGHTING_H

#include <stdbool.h>
#include <stddef.h>

#include "cpu/sample.h"

/* Map the tables, once. 0, or -1 if memory runs out. */
int sg_sample_weighting_prepare(void);
void sg_sample_weighting_discard(void);

/* Begin to count CPU time; whether threads tick. By the writer. */
void sg_sample_weighting_open(void);
void sg_sample_weighting_set_ticking(bool is_ticking);
/* Stop counting CPU time. One more drain delivers what is due. */
void sg_sample_weighting_close(void);

void sg_sample_weighting_drain(sg_sample_fn *deliver, void *context);

/* Since open. */
uint64_t sg_sample_weighting_process_cpu_ns(void);
uint64_t sg_sample_weighting_engine_cpu_ns(void);
uint64_t sg_sample_weighting_samples(void);

#endif
