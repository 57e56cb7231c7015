/* Thread objects: which threading.Thread object stands for the process's first thread. */
#ifndef STACKGLASS_INTERPRETER_THREAD_OBJECTS_H
#define STACKGLASS_INTERPRETER_THREAD_OBJECTS_H

#include <Python.h>

#include <stdbool.h>

/* Is `thread` threading's main thread, and does it run as the process's first thread? The object's
 * fields alone do not show that: up to 3.13, after a fork, `_native_id` still is the tid of the
 * parent's thread; `_ident` is renewed, but gevent replaces it. The caller holds the GIL. */
bool sg_thread_objects_is_first(PyObject *thread);

#endif
