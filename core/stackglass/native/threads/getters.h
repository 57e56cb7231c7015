/* C getters: attributes that a type of C code computes with a C function (PyGetSetDef). The
 * function is called directly, so that no attribute is looked up and no Python code runs. The
 * caller holds the GIL. */
#ifndef STACKGLASS_THREADS_GETTERS_H
#define STACKGLASS_THREADS_GETTERS_H

#include <Python.h>

/* Return the getter that `type` or a base of it defines for `name`; NULL = none. It lives as long
 * as the type. */
const PyGetSetDef *sg_getters_find(PyObject *type, const char *name);

/* Return the attribute's value, or NULL if it is None or there is none. The value is borrowed:
 * `object` refers to it, or it is immortal. `object` must be of the type in which the getter was
 * found. */
PyObject *sg_getters_read(const PyGetSetDef *getter, PyObject *object);

#endif
