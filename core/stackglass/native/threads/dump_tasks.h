/* Tasks of a dump: the state, the await chain and the thread of each asyncio task, and which task
 * awaits which. */
#ifndef STACKGLASS_THREADS_DUMP_TASKS_H
#define STACKGLASS_THREADS_DUMP_TASKS_H

#include "threads/dump_rows.h"

/* Read the chosen tasks that have not ended, as many as `budget_ns` of CPU time allow; true = all
 * are done. At most three quarters of the budget go to skipping tasks of earlier slices. The dump's
 * threads have been read. Caller holds the GIL. */
bool sg_dump_tasks_take(struct sg_thread_dump *dump, int64_t budget_ns);

/* Roughly how many tasks there are; some may be counted twice. Takes some nanoseconds for each.
 * Caller holds the GIL. */
size_t sg_dump_tasks_count(void);

#endif
