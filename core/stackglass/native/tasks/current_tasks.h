/* asyncio's dictionary of running tasks, up to 3.13: event loop ▶ the task that it runs.
 *
 * The dictionary is read without calls into the interpreter, either by a thread that holds the GIL
 * or from copied memory. A task that is read is only a candidate: running.h says how it is
 * confirmed. */
#ifndef STACKGLASS_TASKS_CURRENT_TASKS_H
#define STACKGLASS_TASKS_CURRENT_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "interpreter/contextvars.h"

/* Find the dictionary, and check the assumed layout of dicts on a dict of the engine's own. The
 * caller holds the GIL; no code of the program runs. Returns false if the dictionary does not exist
 * or dicts have another layout. */
bool sg_current_tasks_learn(void);
/* Release the dictionary and forget the noted threads; called by sg_running_tasks_forget.
 * sg_current_tasks_abandon does so in a forked child, without releasing the reference. */
void sg_current_tasks_forget(void);
void sg_current_tasks_abandon(void);

/* Write the running tasks of all event loops to `tasks`, the last entered first, at most
 * `capacity`, from the dictionary's 64 newest places. Returns their number. Async-signal-safe if
 * `read` is. */
uint32_t sg_current_tasks_read(sg_read_fn *read, uintptr_t *tasks, uint32_t capacity);

/* Note that the thread state `thread` runs tasks, and return whether it may run tasks: true if it
 * was noted, or if the table of 256 threads is full. Lock-free. */
void sg_current_tasks_note(const void *thread);
bool sg_current_tasks_may_run(const void *thread);

#endif
