/* Probe code: Python code that the engine runs to learn, and to check, what frames look like.
 *
 * It imports nothing and must need no builtin. All calls need the GIL, and clear the exception that
 * is set. */
#ifndef STACKGLASS_INTERPRETER_PROBE_CODE_H
#define STACKGLASS_INTERPRETER_PROBE_CODE_H

#include <Python.h>

#include <stdbool.h>

/* Run `source` as a module with the variables `names`, a dict, to which the C function `look` is
 * added under its own name. False if it does not run to its end. */
bool sg_probe_code_run(const char *source, PyMethodDef *look, PyObject *names);

/* Release the module's variables, which form cycles with its functions. May be NULL. */
void sg_probe_code_forget(PyObject *names);

#endif
