/* Interpreters: the one that the engine works in (its home), and the list of all of them.
 *
 * From 3.12 on an interpreter may have a GIL of its own. To hold the GIL of one does not stop the
 * others: their thread states may be freed while they are read. So the data of another interpreter
 * is read by calls that cannot fault, and used only if it passes a check. */
#ifndef STACKGLASS_INTERPRETER_INTERPRETERS_H
#define STACKGLASS_INTERPRETER_INTERPRETERS_H

#include <stdbool.h>
#include <stdint.h>

/* Make the calling thread's interpreter the engine's home. Caller holds its GIL. */
void sg_interpreters_prepare(void);

/* Does a thread state belong to home? False for NULL. Caller holds the GIL of that thread. */
bool sg_interpreters_is_home(const void *thread);
bool sg_interpreters_is_home_interpreter(const void *interpreter);
/* Does the calling thread, which holds a GIL, run in home? */
bool sg_interpreters_is_home_thread(void);

void *sg_interpreter_home(void);
/* Walk all interpreters and their thread states, newest first; NULL = that was the last one. Caller
 * holds home's GIL. So home's thread states stay alive; one of another interpreter may be freed at
 * any time, and must be read by calls that cannot fault. */
void *sg_interpreter_first(void);
void *sg_interpreter_next(const void *interpreter);
void *sg_interpreter_thread(const void *interpreter);
void *sg_interpreter_next_thread(const void *thread);

/* The same for a thread state of home, without a system call. */
void *sg_interpreters_next_at_home(const void *thread);
uint64_t sg_interpreters_id_at_home(const void *thread);

/* Are there several interpreters, each of which may have a GIL of its own? */
bool sg_interpreters_are_apart(void);
/* The interpreter's own number of a thread state, PyThreadState_GetID; 0 = it has been freed. */
uint64_t sg_interpreters_id_of(const void *thread);

/* The number of interpreters, at most 64. */
uint32_t sg_interpreters_count(void);

#endif
