/* Where asyncio's C code keeps its tasks, from 3.14 on: `_AsyncioDebug`, which the interpreter
 * publishes for debuggers.
 *
 *     library's data ─▶ … │ thirteen words: sizes and offsets that fit each other │ …
 *
 * The words are exported by no name, so they are recognised. */
#ifndef STACKGLASS_TASKS_ASYNCIO_OFFSETS_H
#define STACKGLASS_TASKS_ASYNCIO_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

struct sg_asyncio_offsets {
    int32_t task_size;
    int32_t task_name, coroutine, awaited_by, is_awaited_by_set, task_node; /* in a task */
    int32_t interpreter_tasks; /* tasks of threads that have ended: head of a ring */
    int32_t thread_loop, thread_task, thread_tasks; /* in a thread's state */
};

/* Look through the libraries that may have it, until it is found. Takes the loader's lock: no GIL.
 */
void sg_asyncio_offsets_search(void);
/* NULL = not found, or this is no task's size. */
const struct sg_asyncio_offsets *sg_asyncio_offsets_get(uint64_t task_size);

#endif
