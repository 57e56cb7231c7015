/* Label of the asyncio task that a thread runs at this moment: the task's name.
 *
 *     3.14, 3.15    thread state ──▶ the task
 *     up to 3.13    asyncio.tasks._current_tasks: event loop ▶ task ──▶ coroutine ──▶ frame
 *                   the thread runs the task whose frame lies in the thread's stack
 *
 * Nothing is cached per thread. Tasks of asyncio's C class Task and of classes derived from it are
 * found. A task that cannot be read with certainty yields no label, and a counter says how many
 * there were. Callers call `find` before they walk the stack, and `label` after it. */
#ifndef STACKGLASS_TASKS_RUNNING_H
#define STACKGLASS_TASKS_RUNNING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/walk.h"
#include "interpreter/contextvars.h"

enum { SG_TASK_LABEL_SHIFT = 16, SG_PROGRAM_LABELS = (1 << SG_TASK_LABEL_SHIFT) - 1 };

/* Return the number of the task's row (names.h) in a label set's number as wire.proto defines it; 0
 * = none. */
static inline uint32_t sg_running_task_of_label(uint32_t labels) {
    return labels >> SG_TASK_LABEL_SHIFT;
}

/* Candidates for the task that a thread runs. */
struct sg_running_tasks {
    uintptr_t tasks[SG_MOST_WANTED_FRAMES];
    struct sg_wanted_frames wanted; /* the frames of their coroutines, for the walk */
    bool is_certain;                /* the thread state names tasks[0] as its task */
    bool is_unreadable;             /* the thread may run a task that cannot be read */
};

/* Find asyncio's task type and its field offsets, unless they are known. Costs a few dictionary
 * lookups. The caller holds the GIL; no code of the program runs. */
void sg_running_tasks_learn(void);
/* Return whether sg_running_tasks_learn needs sg_asyncio_offsets_search first. Any thread may call
 * it. */
bool sg_running_tasks_want_offsets(void);
/* Forget the type and the offsets. The caller holds the GIL, or no Python thread runs; no handler
 * may read meanwhile. */
void sg_running_tasks_forget(void);
/* Reset the state in a forked child, before fork returns. */
void sg_running_tasks_after_fork_in_child(void);

/* Find the candidates of `thread`, a thread state or NULL. Async-signal-safe if `read` is. Up to
 * 3.13 `read` must tolerate that other threads change the memory meanwhile. */
void sg_running_tasks_find(const void *thread, sg_read_fn *read, struct sg_running_tasks *running);
/* Find the candidates of the thread that a signal handler interrupted. Up to 3.13 a thread without
 * the GIL gets no candidates: only `is_unreadable` is set, if the thread may run tasks. */
void sg_running_tasks_find_own(const void *thread, struct sg_running_tasks *running);

/* Return the label of the task and of the label variables (labels/variables.h), shifted by
 * SG_TASK_LABEL_SHIFT, to be added to the label of the thread's context. */
uint32_t sg_running_tasks_own_label(const void *thread, const struct sg_running_tasks *running);

/* Find the candidates, walk the stack and return the label. The caller holds the GIL, and `thread`
 * is in a call from Python code or waits for the GIL. */
uint32_t sg_running_tasks_label_with_gil(const void *thread);
/* Return the label of a thread that stood still when its CPU clock read `cpu_ns`; 0 also if the
 * clock has advanced since. Reads with system calls that cannot fault, without the GIL. */
uint32_t sg_running_tasks_label_outside(const void *thread, pid_t tid, uint64_t cpu_ns);

/* Return how often a running task could not be read. */
uint64_t sg_running_tasks_n_unknown(void);

#endif
