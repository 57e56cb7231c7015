/* The tasks of a dump: where each stands, and what it waits for. */
#ifndef STACKGLASS_THREADS_DUMP_TASKS_H
#define STACKGLASS_THREADS_DUMP_TASKS_H

#include "threads/dump_rows.h"

/* All tasks that have not ended, or until `end_ns`; true = that was all. The dump's threads are
 * there. Caller holds the GIL. */
bool sg_dump_tasks_take(struct sg_thread_dump *dump, int64_t end_ns);

#endif
