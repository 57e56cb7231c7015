/* Task counts: how many asyncio tasks run, are ready to run, or are suspended. No task is
 * remembered, so a task that is in two of asyncio's lists counts twice. */
#ifndef STACKGLASS_THREADS_TASK_COUNTS_H
#define STACKGLASS_THREADS_TASK_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SG_N_TASK_STATES = 3 }; /* running, ready, suspended */

struct sg_task_counts {
    uint64_t n[SG_N_TASK_STATES];
    bool is_whole; /* false = time ran out before all tasks were counted */
};

/* Count tasks until the calling thread's CPU clock reads `end_ns`, and 1024 in any case, or a few
 * more.
 * The caller holds the GIL. From 3.14 on sg_asyncio_offsets_search must have run before. */
struct sg_task_counts sg_task_counts_take(int64_t end_ns);

/* Return the approximate number of tasks; some may be counted twice. Takes a few nanoseconds for
 * each. The caller holds the GIL. */
size_t sg_task_counts_estimate(void);

#endif
