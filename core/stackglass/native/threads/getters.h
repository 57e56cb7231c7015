/* C getters: attributes that a type of C code computes with a C function (PyGetSetDef). The
 * function is called directly, so that no attribute is looked up and no Python code runs. The
 * caller holds the GIL. */
#ifndef STACKGLASS_THREADS_GETTERS_H
#define STACKGLASS_THREADS_GETTERS_H

#include <Python.h>

#include <stdint.h>

/* Return the getter that `type` or a base of it defines for `name`; NULL = none. It lives as long
 * as the type. */
const PyGetSetDef *sg_getters_find(PyObject *type, const char *name);

/* Return the attribute's value, or NULL if it is None or there is none. The value is borrowed:
 * `object` refers to it, or it is immortal. `object` must be of the type in which the getter was
 * found. */
PyObject *sg_getters_read(const PyGetSetDef *getter, PyObject *object);

/* A getter that returns a field of its object, and where that field is. Learned from the first
 * object with a value: it is the only word that equals what the getter returns. From then on the
 * field is read in place, so that the value itself need not be touched. */
struct sg_getter_field {
    const PyGetSetDef *getter; /* NULL = the type has none, or is not loaded */
    int32_t at;                /* offset in the object; 0 = not known yet */
};
/* Let `field` be the field that `name` returns. What is known of it stays as long as the getter is
 * the same. */
void sg_getters_find_field(struct sg_getter_field *field, PyObject *type, const char *name);
/* Does the same as sg_getters_read. `size`: bytes of an object of the type. */
PyObject *sg_getters_read_field(struct sg_getter_field *field, PyObject *object, uint64_t size);

#endif
