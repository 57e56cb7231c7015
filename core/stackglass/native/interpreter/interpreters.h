/* Interpreters: the one that the engine works in, and the list of all of them.
 *
 * From 3.12 on an interpreter may have a GIL of its own. Holding the GIL of one does not stop the
 * others: their thread states may be freed while they are read. So the data of another interpreter
 * is read by calls that cannot fault, and used only if it passes a check. */
#ifndef STACKGLASS_INTERPRETER_INTERPRETERS_H
#define STACKGLASS_INTERPRETER_INTERPRETERS_H

#include <stdbool.h>
#include <stdint.h>

/* Make the calling thread's interpreter the engine's. Caller holds its GIL. */
void sg_interpreters_prepare(void);

/* Does a thread state (or NULL: no) belong to the engine's interpreter? Caller holds the GIL of
 * that thread. */
bool sg_interpreters_is_home(const void *thread);
bool sg_interpreters_is_home_interpreter(const void *interpreter);
/* Does the calling thread, which holds a GIL, run in the engine's interpreter? */
bool sg_interpreters_is_home_thread(void);

void *sg_interpreter_home(void);
/* All interpreters and their thread states, newest first; NULL = there is no other. Caller holds
 * the GIL of the engine's interpreter, which keeps its threads alive; of other interpreters these
 * may return freed memory. */
void *sg_interpreter_first(void);
void *sg_interpreter_next(const void *interpreter);
void *sg_interpreter_thread(const void *interpreter);
void *sg_interpreter_next_thread(const void *thread);

/* The same of the engine's interpreter alone, without a system call. */
void *sg_interpreters_next_at_home(const void *thread);
uint64_t sg_interpreters_id_at_home(const void *thread);

/* May there be an interpreter with a GIL of its own? */
bool sg_interpreters_are_apart(void);
/* The number of a thread state; 0 = it does not exist any more. */
uint64_t sg_interpreters_id_of(const void *thread);

/* The number of interpreters, at most 64. */
uint32_t sg_interpreters_count(void);

#endif
