/* References between objects, as the collector sees them. Caller holds the GIL; nothing of the
 * program runs. */
#ifndef STACKGLASS_LEAKS_REFERENCES_H
#define STACKGLASS_LEAKS_REFERENCES_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* Learn the types of weak references, and where generators keep their frames. */
void sg_references_prepare(void);

/* An object's reference count; that of an immortal object is INT32_MAX / 2, which no number of
 * references explains. */
int32_t sg_references_count(PyObject *object);

/* May an object that the collector does not track be traversed? A tuple or a dict is untracked if
 * it holds nothing that the collector knows, such as a lock. */
bool sg_references_is_untracked_container(PyObject *object);

/* What a container refers to, as its tp_traverse visits it. */
void sg_references_visit(PyObject *container, visitproc visit, void *context);

/* From 3.14 on a suspended generator may borrow references: tp_traverse visits those too, though
 * they are not counted. Visits them. */
void sg_references_visit_borrowed(PyObject *container, visitproc visit, void *context);

/* The object of a weak reference or proxy that the engine has not made; NULL = it is none, or its
 * object has died. */
PyObject *sg_references_weak(PyObject *container);

/* Does its class define a finalizer in Python (__del__), or a finalizer in C of a kind that is not
 * the interpreter's own? */
bool sg_references_has_finalizer(PyObject *object);

#endif
