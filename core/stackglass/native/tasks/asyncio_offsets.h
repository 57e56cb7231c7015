/* Field offsets of asyncio's C tasks, for Python 3.14 and later. They come from `_AsyncioDebug`, a
 * structure in the `_asyncio` module that CPython publishes for debuggers.
 *
 *     library's data ─▶ … │ thirteen words: sizes and offsets that fit each other │ …
 *
 * No symbol names the structure, so a search recognises it by its content. */
#ifndef STACKGLASS_TASKS_ASYNCIO_OFFSETS_H
#define STACKGLASS_TASKS_ASYNCIO_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

struct sg_asyncio_offsets {
    int32_t task_size;
    /* offsets in a TaskObj */
    int32_t task_name, coroutine, awaited_by, is_awaited_by_set, task_node;
    /* offset in the interpreter's state of the list head for tasks of ended threads */
    int32_t interpreter_tasks;
    int32_t thread_loop, thread_task, thread_tasks; /* offsets in a thread state */
};

/* Search the loaded libraries that may contain `_asyncio`, unless an earlier search found the
 * structure. Takes the dynamic loader's lock, so the caller must not hold the GIL. */
void sg_asyncio_offsets_search(void);
/* Return the offsets, or NULL if they were not found or if `task_size`, the `tp_basicsize` of the
 * task's type, differs from the size that they were published for. */
const struct sg_asyncio_offsets *sg_asyncio_offsets_get(uint64_t task_size);

#endif
