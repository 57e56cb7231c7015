/* From raw ticks to samples that add up to the CPU time used. */
#ifndef STACKGLASS_CPU_SAMPLE_WEIGHTING_H
#define STACKGLASS_CPU_SAMPLE_WEIGHTING_H

#include <stdbool.h>
#include <stddef.h>

#include "cpu/sample.h"

/* Room, once. 0 or -1. */
int sg_sample_weighting_prepare(void);
void sg_sample_weighting_discard(void);

/* Count from here on; ticking or not. The writer's thread. */
void sg_sample_weighting_open(void);
void sg_sample_weighting_set_ticking(bool is_ticking);
/* The program's CPU time is counted no further. One more drain hands out what is due. */
void sg_sample_weighting_close(void);

size_t sg_sample_weighting_drain(sg_sample_fn *deliver, void *context);

/* Since open. */
uint64_t sg_sample_weighting_process_cpu_ns(void);
uint64_t sg_sample_weighting_engine_cpu_ns(void);
uint64_t sg_sample_weighting_samples(void);

#endif
