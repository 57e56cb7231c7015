/* Task creations: the stack that created each asyncio task.
 *
 *     creator: Task(coroutine) ─▶ tp_init: hook, with the GIL ─▶ table, by the task's address
 *     dump ─▶ find ─▶ the stack, or: before the attach, or: not known
 *
 * No reference to a task is kept and its end is not noticed: an entry of a task that has ended is
 * overwritten by the next task at the same address, before any dump can see that one. Recorded are
 * C tasks (_asyncio.Task and derived classes) of the engine's interpreter. All functions but
 * …_after_fork_in_child need the GIL. */
#ifndef STACKGLASS_THREADS_TASK_CREATIONS_H
#define STACKGLASS_THREADS_TASK_CREATIONS_H

#include <Python.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/frame.h"

/* Begin to record, at once if the program has loaded asyncio. Otherwise sg_task_creations_learn has
 * to be called from time to time, and before a dump: it begins once asyncio is loaded. */
void sg_task_creations_open(void);
void sg_task_creations_learn(void);
/* Stop recording, and forget all creations. */
void sg_task_creations_close(void);
/* Does the same in a forked child, before fork returns, without the GIL. */
void sg_task_creations_after_fork_in_child(void);

enum { SG_MOST_CREATION_FRAMES = 192 }; /* frames that are kept of a creator's stack */

/* `stack` is SG_NO_STACK if the creator is not known; then the task may be older than the
 * attach. */
struct sg_task_creation {
    uint32_t stack; /* its number; equal numbers are equal stacks until the close */
    pid_t creator;  /* thread */
    bool is_older;
};
struct sg_task_creation sg_task_creations_find(PyObject *task);
/* Prefetch what sg_task_creations_find reads. */
void sg_task_creations_prefetch(const PyObject *task);
/* Copy the frames of a stack, leaf first, at most `capacity`. Returns how many. */
uint32_t sg_task_creations_copy_stack(uint32_t stack, struct sg_frame *frames, uint32_t capacity);

#endif
