/* Interpreter end: the state of the interpreter's shutdown, as the engine's threads see it.
 *
 *     running ──begin──▶ ending ──finish──▶ over
 *
 * While it is ending, the engine sends its last samples, and may still take the GIL. When it is
 * over, the engine does not touch the interpreter. An interpreter for which Py_IsFinalizing is true
 * is over, even if the exit hook was never called. Any thread, lock-free. */
#ifndef STACKGLASS_WORKER_INTERPRETER_END_H
#define STACKGLASS_WORKER_INTERPRETER_END_H

#include <stdbool.h>

/* Note that the exit hook has been called, or that the process ends without it. Then
 * sg_interpreter_end_finish notes that the interpreter is over. */
void sg_interpreter_end_begin(void);
void sg_interpreter_end_finish(void);

bool sg_interpreter_end_has_begun(void);
bool sg_interpreter_end_is_over(void);

/* Reset the state to running. Called at the start of an engine, before any engine thread exists. */
void sg_interpreter_end_reset(void);
/* Look up Py_IsFinalizing. Takes the loader's lock, so only the worker calls this. */
void sg_interpreter_end_prepare(void);

#endif
