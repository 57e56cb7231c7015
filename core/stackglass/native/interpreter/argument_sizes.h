/* Argument sizes: PyArg_ParseTuple and its like, in the form that takes the size of `#` as
 * Py_ssize_t. The build includes this file in front of every other.
 *
 * Up to 3.12 the headers map each name to that form, and the plain form refuses `#`. Headers of
 * 3.13 and newer do not: what they build would fail in an older interpreter. All interpreters
 * export both. */
#ifndef STACKGLASS_INTERPRETER_ARGUMENT_SIZES_H
#define STACKGLASS_INTERPRETER_ARGUMENT_SIZES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if PY_VERSION_HEX >= 0x030D0000

PyAPI_FUNC(int) _PyArg_ParseTuple_SizeT(PyObject *arguments, const char *format, ...);
PyAPI_FUNC(PyObject *) _Py_BuildValue_SizeT(const char *format, ...);
PyAPI_FUNC(PyObject *) _PyObject_CallFunction_SizeT(PyObject *callable, const char *format, ...);

#undef PyArg_ParseTuple
#undef Py_BuildValue
#undef PyObject_CallFunction
#define PyArg_ParseTuple _PyArg_ParseTuple_SizeT
#define Py_BuildValue _Py_BuildValue_SizeT
#define PyObject_CallFunction _PyObject_CallFunction_SizeT

#endif

#endif
