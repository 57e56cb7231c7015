/* Reference counts: Py_INCREF and Py_DECREF as calls of the running interpreter, instead of the
 * headers' macros. The build includes this file in front of every other.
 *
 * The macros change the count in place. From 3.12 on some objects are immortal, and the interpreter
 * does not change their counts. If the interpreter returns a reference and a macro releases it, the
 * count falls by one for good, and 2^31 such releases (2^30 in 3.14) make `None` or a small int
 * mortal. So counts are raised and lowered by calls. No hook makes these calls on its fast path.
 *
 * For the same reason headers of 3.12 and newer return None without raising its count. In an older
 * interpreter the count would fall with each return, and the process end with it at 0. */
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

#undef Py_RETURN_NONE
#undef Py_RETURN_TRUE
#undef Py_RETURN_FALSE
#undef Py_RETURN_NOTIMPLEMENTED
#define Py_RETURN_NONE return Py_IncRef(Py_None), Py_None
#define Py_RETURN_TRUE return Py_IncRef(Py_True), Py_True
#define Py_RETURN_FALSE return Py_IncRef(Py_False), Py_False
#define Py_RETURN_NOTIMPLEMENTED return Py_IncRef(Py_NotImplemented), Py_NotImplemented

#endif
