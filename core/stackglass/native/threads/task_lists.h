/* Task lists: visits all tasks of asyncio without running Python code.
 *
 *     up to 3.11   asyncio.tasks._all_tasks           WeakSet ─▶ set ─▶ references
 *     from 3.12    asyncio.tasks._scheduled_tasks     a WeakSet
 *                  asyncio.tasks._eager_tasks         a set
 *     from 3.14    the same for tasks written in Python; those written in C are in rings: one for
 *                  each thread, and one of the interpreter for threads that have ended
 *
 * Sets are read with their own tp_traverse, so no task is hashed or compared. The caller holds the
 * GIL. */
#ifndef STACKGLASS_THREADS_TASK_LISTS_H
#define STACKGLASS_THREADS_TASK_LISTS_H

#include <Python.h>

#include <stdbool.h>
#include <stddef.h>

#include "tasks/asyncio_offsets.h"

/* Largest batch of tasks. A batch is prefetched, so that the processor waits for the memory of all
 * its tasks at once. */
enum { SG_TASKS_AT_A_TIME = 32 };

/* Called with a batch of tasks, which are borrowed, may have ended, and may come twice. Returns
 * false to stop. */
typedef bool sg_task_visit_fn(void *context, PyObject *const *tasks, size_t n);

/* Visit all tasks. `offsets` is NULL before 3.14, or if they are not known. Returns false if
 * `visit` did. */
bool sg_task_lists_visit(const struct sg_asyncio_offsets *offsets, sg_task_visit_fn *visit,
                         void *context);

/* Visit the tasks that threads run at this moment, each once. */
void sg_task_lists_visit_running(const struct sg_asyncio_offsets *offsets, sg_task_visit_fn *visit,
                                 void *context);

#endif
