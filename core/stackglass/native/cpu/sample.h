/* Sample: a stack of one thread, when it was taken, and the CPU time that it stands for. */
#ifndef STACKGLASS_CPU_SAMPLE_H
#define STACKGLASS_CPU_SAMPLE_H

#include <stdint.h>
#include <sys/types.h>

#include "frames/frame.h"

enum { SG_MAX_DEPTH = 512 };

struct sg_sample {
    pid_t tid;       /* 0 = of no single thread: lost samples, CPU time without a sample */
    uint32_t labels; /* label set; 0 = none */
    uint32_t time;   /* SG_TIME_UNIT_NS units since the start */
    uint32_t count;  /* samples */
    uint64_t cpu_ns; /* CPU time that they stand for (sg_cpu_drain); of wall samples wall time */
    uint32_t depth;
    const struct sg_frame *frames; /* leaf first; (depth,) */
    uint8_t wall_state; /* of a wall sample: enum sg_thread_state, plus 1; 0 = a CPU sample */
    int16_t call;       /* of a wall sample: system call; -1 = none */
};
typedef void sg_sample_fn(void *context, const struct sg_sample *sample);

/* Set time 0, before any sample is taken. */
void sg_sample_set_start(int64_t start_mono_ns);
/* Return the present time, in SG_TIME_UNIT_NS units since time 0. Any thread may call this;
 * async-signal-safe. */
uint32_t sg_sample_time(void);

#endif
