/* What an instance or a class refers to, by attribute, without running anything of the program's.
 *
 * References are those that its type's tp_traverse tells the collector, and the values of the
 * dictionaries among them: an instance's and a class's own. Caller holds the GIL. */
#ifndef STACKGLASS_OBJECTS_ATTRIBUTES_H
#define STACKGLASS_OBJECTS_ATTRIBUTES_H

#include <Python.h>

#include <stdbool.h>

enum { SG_MOST_ATTRIBUTES = 2000 }; /* of one object; what comes later is not looked at */

/* `name` NULL: it is a slot's, or lies in the object itself; ask sg_attribute_name. False = that is
 * enough. Allocates nothing that the collector tracks. */
typedef bool sg_attribute_fn(void *context, PyObject *name, PyObject *value);

/* `traverse`: of the object's type. */
void sg_attributes_visit(PyObject *object, traverseproc traverse, sg_attribute_fn *visit,
                         void *context);

/* New reference: the name by which an instance refers to `value`, or NULL. May give the instance
 * the dictionary that the interpreter had spared it until somebody asks. */
PyObject *sg_attribute_name(PyObject *object, PyObject *value);

/* Likewise of a class. */
PyObject *sg_object_attributes_class_name(PyObject *type, PyObject *value);

#endif
