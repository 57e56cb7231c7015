/* Code of ours that the interpreter runs: what frames are like is learned, and tried, on its own.
 *
 * Nothing is imported, and no builtin may be needed. All calls need the GIL; an exception that is
 * set gets lost. */
#ifndef STACKGLASS_INTERPRETER_PROBE_CODE_H
#define STACKGLASS_INTERPRETER_PROBE_CODE_H

#include <Python.h>

#include <stdbool.h>

/* Run `source` as a module whose variables are `names`: a dict that has what it needs but for
 * `look`, a function of C, which comes to it by its own name. False if it did not get to its end.
 */
bool sg_probe_code_run(const char *source, PyMethodDef *look, PyObject *names);

/* Let go of the module's variables, which its functions refer to in their turn. NULL will do. */
void sg_probe_code_forget(PyObject *names);

#endif
