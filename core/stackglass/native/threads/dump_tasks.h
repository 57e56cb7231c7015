/* The tasks of a dump: where each stands, and what it waits for. */
#ifndef STACKGLASS_THREADS_DUMP_TASKS_H
#define STACKGLASS_THREADS_DUMP_TASKS_H

#include "threads/dump_rows.h"

/* All tasks that have not ended and are chosen, or as many as `budget_ns` of CPU time allow, the
 * search for them included, which has three quarters of it at most; true = that was all. The dump's
 * threads are there. Caller holds the GIL. */
bool sg_dump_tasks_take(struct sg_thread_dump *dump, int64_t budget_ns);

/* About how many there are; a task may be counted twice. Takes some nanoseconds a task. Caller
 * holds the GIL. */
size_t sg_dump_tasks_count(void);

#endif
