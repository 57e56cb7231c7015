/* Attributes: the references of an instance or a class, found without running code of the program.
 *
 * References are those that tp_traverse reports, and what the dictionaries among them hold under
 * text keys. Caller holds the GIL. */
#ifndef STACKGLASS_OBJECTS_ATTRIBUTES_H
#define STACKGLASS_OBJECTS_ATTRIBUTES_H

#include <Python.h>

#include <stdbool.h>

enum { SG_MOST_ATTRIBUTES = 2000 }; /* of one object; further ones are skipped */

/* Called for each reference. `name` is NULL for a slot, or for a value in the object itself: then
 * sg_attribute_name finds the name. Returns false to end the visit. Must not allocate objects that
 * the collector tracks. */
typedef bool sg_attribute_fn(void *context, PyObject *name, PyObject *value);

/* Visit the references of `object`. `traverse` is the tp_traverse of its type; NULL = none. */
void sg_attributes_visit(PyObject *object, traverseproc traverse, sg_attribute_fn *visit,
                         void *context);

/* Return the name by which an instance refers to `value`, a new reference, or NULL. The instance
 * gets no dictionary that it did not have. sg_inline_values_prepare must have been called. */
PyObject *sg_attribute_name(PyObject *object, PyObject *value);

/* Return the name by which a class refers to `value`, a new reference, or NULL. */
PyObject *sg_object_attributes_class_name(PyObject *type, PyObject *value);

#endif
