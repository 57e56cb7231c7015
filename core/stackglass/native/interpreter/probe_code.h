/* Probe code: Python code that the engine runs to learn, and to check, how frames are laid out.
 *
 * Probe code imports nothing and must need no builtin. The caller of these functions holds the GIL;
 * they clear an exception that is set. */
#ifndef STACKGLASS_INTERPRETER_PROBE_CODE_H
#define STACKGLASS_INTERPRETER_PROBE_CODE_H

#include <Python.h>

/* Run `source` as a module with the variables `names`, a dict, to which the C function `look` is
 * added under its own name. Returns NULL, or why the code has not run to its end. */
const char *sg_probe_code_run(const char *source, PyMethodDef *look, PyObject *names);

/* Clear and release `names`, which forms cycles with the module's functions. May be NULL. */
void sg_probe_code_forget(PyObject *names);

#endif
