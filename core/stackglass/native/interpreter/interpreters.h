/* Interpreters: the interpreter that the engine works in (home), and the list of all interpreters.
 *
 * From 3.12 on an interpreter may have a GIL of its own. A thread that holds one interpreter's GIL
 * does not stop the others, so their thread states may be freed while they are read. So the data of
 * another interpreter is read by calls that cannot fault, and used only if it passes a check. */
#ifndef STACKGLASS_INTERPRETER_INTERPRETERS_H
#define STACKGLASS_INTERPRETER_INTERPRETERS_H

#include <stdbool.h>
#include <stdint.h>

/* Make the calling thread's interpreter home. The caller holds that interpreter's GIL. */
void sg_interpreters_prepare(void);

/* Does the thread state `thread` belong to home? Returns false for NULL. The caller holds the GIL
 * of that thread's interpreter. */
bool sg_interpreters_is_home(const void *thread);
bool sg_interpreters_is_home_interpreter(const void *interpreter);
/* Does the calling thread, which holds a GIL, run in home? */
bool sg_interpreters_is_home_thread(void);

void *sg_interpreter_home(void);
/* Walk all interpreters and their thread states, newest first; NULL = there are no more. The caller
 * holds home's GIL, so home's thread states stay alive. A thread state of another interpreter may
 * be freed at any time, and must be read by calls that cannot fault. */
void *sg_interpreter_first(void);
void *sg_interpreter_next(const void *interpreter);
void *sg_interpreter_thread(const void *interpreter);
void *sg_interpreter_next_thread(const void *thread);
/* Return the number of thread states after which a walk over the threads of `interpreter` ends. The
 * list of another interpreter may change during the walk, and form a cycle: the walk ends after
 * 4096, and may have met some threads twice and others not at all. Home's list does not change, so
 * its walks have no limit. */
uint32_t sg_interpreters_most_threads(const void *interpreter);

/* As sg_interpreter_next_thread and sg_interpreters_id_of, for a thread state of home: without a
 * system call. */
void *sg_interpreters_next_at_home(const void *thread);
uint64_t sg_interpreters_id_at_home(const void *thread);

/* Are there several interpreters, each of which may have a GIL of its own? */
bool sg_interpreters_are_apart(void);
/* Return PyThreadState_GetID of a thread state; 0 if its memory is gone. */
uint64_t sg_interpreters_id_of(const void *thread);

/* Return the number of interpreters, at most 1024: the limit of walks over them, for the same
 * reason. */
uint32_t sg_interpreters_count(void);

#endif
