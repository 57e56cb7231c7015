/* Attributes that a type of C code computes by a C function: called as such, so that no attribute
 * is looked up, and no Python code runs. Caller holds the GIL. */
#ifndef STACKGLASS_THREADS_GETTERS_H
#define STACKGLASS_THREADS_GETTERS_H

#include <Python.h>

/* The getter that `type`, or a base of it, defines by this name; NULL = none. It lives as long as
 * the type. */
const PyGetSetDef *sg_getters_find(PyObject *type, const char *name);

/* The attribute's value, borrowed from `object`, which refers to it, unless it lives for ever. NULL
 * = it is None, or there is none. `object` is of the type that the getter was found in. */
PyObject *sg_getters_read(const PyGetSetDef *getter, PyObject *object);

#endif
