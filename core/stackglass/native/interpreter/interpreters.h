/* Interpreters: the one that the engine works in, and lists of all, also of those with another GIL.
 *
 * From 3.12 on an interpreter may have a GIL of its own. With the GIL of one nothing of another's
 * stands still: its thread states may be freed while they are looked at. So what belongs to another
 * interpreter is read by calls that cannot fault, and taken for what it is only if it says so. */
#ifndef STACKGLASS_INTERPRETER_INTERPRETERS_H
#define STACKGLASS_INTERPRETER_INTERPRETERS_H

#include <stdbool.h>
#include <stdint.h>

/* The calling thread's interpreter is the engine's from here on. Caller holds its GIL. */
void sg_interpreters_prepare(void);

/* Does a thread state belong to the engine's interpreter? NULL does not. The caller holds the GIL
 * of that thread. */
bool sg_interpreters_is_home(const void *thread);
bool sg_interpreters_is_home_interpreter(const void *interpreter);
/* Does the calling thread, which holds a GIL, run in the engine's interpreter? */
bool sg_interpreters_is_home_thread(void);

void *sg_interpreter_home(void);
/* All interpreters and their thread states, newest first; NULL = there is no other. Caller holds
 * the GIL of the engine's interpreter, whose threads stay; of other interpreters it may be freed
 * memory that these return. */
void *sg_interpreter_first(void);
void *sg_interpreter_next(const void *interpreter);
void *sg_interpreter_thread(const void *interpreter);
void *sg_interpreter_next_thread(const void *thread);

/* May there be an interpreter with another GIL than the engine's? */
bool sg_interpreters_are_apart(void);
/* A thread state's number; 0 = it is not there any more. */
uint64_t sg_interpreters_id_of(const void *thread);

/* How many interpreters there are, 1 … 64: more are not counted. */
uint32_t sg_interpreters_count(void);

#endif
