/* Self method: an attribute of a type that makes each object its own bound method.
 *
 *     type.__exit__      the method of the type, as ever
 *     object.__exit__    the object itself, whose call does what the method does
 *
 * A bound method costs an object each time it is looked up, and `with` looks up two. */
#ifndef STACKGLASS_BINDINGS_SELF_METHOD_H
#define STACKGLASS_BINDINGS_SELF_METHOD_H

#include <Python.h>

#include <stdbool.h>

/* How objects with self methods begin. */
struct sg_self_bound {
    PyObject_HEAD
    bool is_bound; /* a self method of this object has been looked up; guarded by the GIL */
};

typedef PyObject *sg_new_type_fn(PyObject *module, PyType_Spec *specification, PyObject *bases);

/* Replace the methods `names`, up to NULL, of `type` by self methods. It is a type of this
 * extension that cannot have subtypes. `new_type` is PyType_FromModuleAndSpec. Returns 0, or -1
 * with an exception set. Caller holds the GIL. */
int sg_self_method_put(PyObject *module, PyObject *type, const char *const *names,
                       sg_new_type_fn *new_type);

#endif
