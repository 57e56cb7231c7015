/* Inline values: attributes that an instance keeps without a dictionary, from 3.11 on.
 *
 *     type ──▶ shared keys ──▶ name 0, name 1, …
 *                                │       │
 *     instance ──▶ values ──▶ value 0, value 1, …
 *
 * Reading `__dict__` makes the interpreter create the dictionary in the program's object, which
 * costs memory and slows its attributes down for good. Here both are read in place. Caller holds
 * the GIL. */
#ifndef STACKGLASS_OBJECTS_INLINE_VALUES_H
#define STACKGLASS_OBJECTS_INLINE_VALUES_H

#include <Python.h>

#include <stdbool.h>

/* Learn once, from an instance of a class that the engine makes, where a type keeps its shared
 * keys. Creates objects that the collector tracks. Clears the exception that is set. If the
 * interpreter has another layout, no inline value will be found. */
void sg_inline_values_prepare(void);

/* Return the name of the inline value of `object` that is `value`, a new reference, or NULL. */
PyObject *sg_inline_values_name(PyObject *object, PyObject *value);

/* Whether the instance has a dictionary, so that reading `__dict__` creates none. */
bool sg_inline_values_has_dict(PyObject *object);

#endif
