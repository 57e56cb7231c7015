/* asyncio's dictionary of running tasks, up to 3.13: event loop ▶ the task that it runs.
 *
 * Read without a call of the interpreter, by a thread that has the GIL, or from copies. What is
 * read is a candidate only: see running.h. */
#ifndef STACKGLASS_TASKS_CURRENT_TASKS_H
#define STACKGLASS_TASKS_CURRENT_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "interpreter/contextvars.h"

/* Find the dictionary, and prove the layout of dictionaries on one of the engine's own. Caller
 * holds the GIL; runs no code of the program. False = it is not there, or laid out otherwise. */
bool sg_current_tasks_learn(void);
/* Forget it, when sg_running_tasks_forget may be called; `abandon`, in a forked child, releases
 * nothing. */
void sg_current_tasks_forget(void);
void sg_current_tasks_abandon(void);

/* The tasks of all event loops, the last one first; at most `capacity`. Returns how many.
 * Async-signal-safe if `read` is. */
uint32_t sg_current_tasks_read(sg_read_fn *read, uintptr_t *tasks, uint32_t capacity);

/* Note that a thread runs tasks; whether it has been noted. Lock-free; of some hundred threads,
 * those beyond count as noted. */
void sg_current_tasks_note(const void *thread);
bool sg_current_tasks_may_run(const void *thread);

#endif
