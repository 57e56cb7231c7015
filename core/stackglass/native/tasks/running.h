/* The asyncio task that a thread runs at this moment, as a label: its name.
 *
 *     3.14, 3.15    thread state ──▶ the task
 *     up to 3.13    asyncio.tasks._current_tasks: event loop ▶ task ──▶ coroutine ──▶ frame
 *                   it is the thread's if that frame lies in the thread's stack
 *
 * No state of a thread is cached. Covers tasks of C code and of classes derived from them. A task
 * that cannot be read with certainty counts as none, and is counted. `find` comes before the walk
 * of the stack, `label` after it. */
#ifndef STACKGLASS_TASKS_RUNNING_H
#define STACKGLASS_TASKS_RUNNING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/walk.h"
#include "interpreter/contextvars.h"

enum { SG_TASK_LABEL_SHIFT = 16, SG_PROGRAM_LABELS = (1 << SG_TASK_LABEL_SHIFT) - 1 };

/* The task in a label set's number, see wire.proto: 0 = none. */
static inline uint32_t sg_running_task_of_label(uint32_t labels) {
    return labels >> SG_TASK_LABEL_SHIFT;
}

/* Tasks that a thread may run. */
struct sg_running_tasks {
    uintptr_t tasks[SG_MOST_WANTED_FRAMES];
    struct sg_wanted_frames wanted; /* the frames of their coroutines, for the walk */
    bool is_certain;                /* the thread itself says that it runs tasks[0] */
    bool is_unreadable;             /* it may run one that cannot be read */
};

/* Look for asyncio's tasks, if they are not known yet: a few dictionary lookups. Caller holds the
 * GIL; runs no code of the program. */
void sg_running_tasks_learn(void);
/* Whether `learn` needs sg_asyncio_offsets_search first. Any thread. */
bool sg_running_tasks_want_offsets(void);
/* Forget them. Caller holds the GIL, or no Python thread runs; no handler reads. */
void sg_running_tasks_forget(void);
/* In a forked child, before fork returns. */
void sg_running_tasks_after_fork_in_child(void);

/* `thread` is a thread state or NULL. Async-signal-safe if `read` is. Up to 3.13 `read` must be
 * able to read what other threads change meanwhile. */
void sg_running_tasks_find(const void *thread, sg_read_fn *read, struct sg_running_tasks *running);
/* The same in a handler, of the thread that it interrupted. Without the GIL and up to 3.13 nothing
 * is certain: then only `is_unreadable`. */
void sg_running_tasks_find_own(const void *thread, struct sg_running_tasks *running);

/* The label of the task and of the variables (labels/variables.h), shifted, to be added to that of
 * the thread's context. */
uint32_t sg_running_tasks_own_label(const void *thread, const struct sg_running_tasks *running);

/* Both at once, with the walk between them. Caller has the GIL, and `thread` is in a call from
 * Python code, or waits for the GIL. */
uint32_t sg_running_tasks_label_with_gil(const void *thread);
/* Of a thread that stood still when its CPU clock read `cpu_ns`; 0 also if the clock has moved
 * since. By calls that cannot fault, without the GIL. */
uint32_t sg_running_tasks_label_outside(const void *thread, pid_t tid, uint64_t cpu_ns);

/* How often a running task could not be read. */
uint64_t sg_running_tasks_n_unknown(void);

#endif
