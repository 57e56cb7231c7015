/* Reference counts, changed by the interpreter that is there.
 *
 * The macros of the 3.9 headers add and subtract in place. From 3.12 on some objects are immortal,
 * and the interpreter leaves their counts alone: a reference that it gives and we drop in place
 * takes one away for good, and 2^31 of them make `None` or a small int mortal. So both directions
 * are calls. None is on a hook's fast path. Included in front of every file. */
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
