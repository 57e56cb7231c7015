/* Tasks of a dump: the state, the await chain and the thread of each asyncio task, and which task
 * awaits which. */
#ifndef STACKGLASS_THREADS_DUMP_TASKS_H
#define STACKGLASS_THREADS_DUMP_TASKS_H

#include "threads/dump_rows.h"

/* Read the sampled tasks that have not ended, as many as `budget_ns` of CPU time allow. Returns
 * true if all are read. At most three quarters of the budget go to skipping the tasks of earlier
 * slices. The dump's threads must have been read. The caller holds the GIL. */
bool sg_dump_tasks_take(struct sg_thread_dump *dump, int64_t budget_ns);

#endif
