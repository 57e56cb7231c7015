/* Reference counting by calls of the running interpreter, instead of the 3.9 headers' macros.
 *
 * The macros change the count in place. From 3.12 on some objects are immortal, and the interpreter
 * does not change their counts: if it returns a reference and a macro drops it, the count falls by
 * one for good, and 2^31 such drops make `None` or a small int mortal. So both directions are
 * calls. None is on a hook's fast path. Included in front of every file. */
#ifndef STACKGLASS_INTERPRETER_REFERENCE_COUNTS_H
#define STACKGLASS_INTERPRETER_REFERENCE_COUNTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#undef Py_INCREF
#undef Py_DECREF
#undef Py_XINCREF
#undef Py_XDECREF
#define Py_INCREF(object) Py_IncRef((PyObject *)(object))
#define Py_DECREF(object) Py_DecRef((PyObject *)(object))
#define Py_XINCREF(object) Py_IncRef((PyObject *)(object))
#define Py_XDECREF(object) Py_DecRef((PyObject *)(object))

#endif
