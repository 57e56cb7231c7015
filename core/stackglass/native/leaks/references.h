/* References: which objects an object refers to, as the garbage collector sees it. The search for
 * leaks follows them. Caller holds the GIL; no code of the program runs. */
#ifndef STACKGLASS_LEAKS_REFERENCES_H
#define STACKGLASS_LEAKS_REFERENCES_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* Learn the types of weak references, and where generators keep their frames. */
void sg_references_prepare(void);

/* An object's reference count; for an immortal object INT32_MAX / 2, so that it always has more
 * references than the search can find. */
int32_t sg_references_count(PyObject *object);

/* May an object that the collector does not track be traversed? A tuple or a dict is untracked if
 * it holds nothing that the collector knows, such as a lock. */
bool sg_references_is_untracked_container(PyObject *object);

/* What a container refers to, as its tp_traverse visits it. */
void sg_references_visit(PyObject *container, visitproc visit, void *context);

/* Visit the references that a suspended generator borrows (from 3.14 on): its tp_traverse visits
 * them too, though they are not in the objects' counts. */
void sg_references_visit_borrowed(PyObject *container, visitproc visit, void *context);

/* The object that a weak reference or a proxy refers to. NULL = `container` is neither, its object
 * has died, or the engine has made it. */
PyObject *sg_references_weak(PyObject *container);

/* Does its class define a finalizer in Python (__del__), or a finalizer in C of a kind that is not
 * the interpreter's own? */
bool sg_references_has_finalizer(PyObject *object);

#endif
