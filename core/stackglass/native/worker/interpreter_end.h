/* End of the interpreter, as the engine's threads see it.
 *
 *     running ──begin──▶ ending ──finish──▶ over
 *
 * While it is ending, the engine sends its last samples, and may still take the GIL. When it is
 * over, the engine does not touch it. An interpreter that is being torn down is over, whether the
 * engine has noticed its exit or not. Any thread, lock-free. */
#ifndef STACKGLASS_WORKER_INTERPRETER_END_H
#define STACKGLASS_WORKER_INTERPRETER_END_H

#include <stdbool.h>

/* The exit hook has been called, or the process ends without it. */
void sg_interpreter_end_begin(void);
void sg_interpreter_end_finish(void);

bool sg_interpreter_end_has_begun(void);
bool sg_interpreter_end_is_over(void);

/* Back to running, with the start of an engine; without an engine's thread. */
void sg_interpreter_end_reset(void);
/* Find the interpreter's own answer. Takes the loader's lock, so by the worker only. */
void sg_interpreter_end_prepare(void);

#endif
