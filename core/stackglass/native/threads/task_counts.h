/* Task counts: how many asyncio tasks run, are ready to run, or are suspended. Nothing is kept of
 * a task. Tasks that two of asyncio's lists have count once for each. */
#ifndef STACKGLASS_THREADS_TASK_COUNTS_H
#define STACKGLASS_THREADS_TASK_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

enum { SG_N_TASK_STATES = 3 }; /* running, ready, suspended */

struct sg_task_counts {
    uint64_t n[SG_N_TASK_STATES];
    bool is_whole; /* false = there are more */
};

/* Count until the calling thread's CPU clock reads `end_ns`. Caller holds the GIL; from 3.14 on
 * the offsets of asyncio have been searched for (tasks/asyncio_offsets.h). */
struct sg_task_counts sg_task_counts_take(int64_t end_ns);

#endif
