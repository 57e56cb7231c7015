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

/* Visit what `container` refers to, by its tp_traverse. */
void sg_references_visit(PyObject *container, visitproc visit, void *context);

/* Visit the references that a suspended generator borrows (from 3.14 on): its tp_traverse visits
 * them too, though they are not in the objects' counts. */
void sg_references_visit_borrowed(PyObject *container, visitproc visit, void *context);

/* Return the object that a weak reference or a proxy refers to. NULL if `container` is neither, if
 * the object has died, or if the engine made the weak reference. `callback` is what is called when
 * the object dies; NULL = nothing is. */
PyObject *sg_references_weak(PyObject *container, PyObject **callback);

/* Whether the type of `object` is a heap type with a finalizer (tp_finalize, tp_del), written in
 * Python (__del__) or in C. Always false for generators and coroutines. */
bool sg_references_has_finalizer(PyObject *object);

#endif
