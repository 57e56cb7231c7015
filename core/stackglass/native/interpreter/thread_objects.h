/* Objects of threading.Thread. */
#ifndef STACKGLASS_INTERPRETER_THREAD_OBJECTS_H
#define STACKGLASS_INTERPRETER_THREAD_OBJECTS_H

#include <Python.h>

#include <stdbool.h>

/* Whether `thread` is threading's main thread and runs as the process's first thread. Up to 3.13 a
 * forked child's main thread keeps the tid of the parent's thread in `_native_id`; its `_ident` is
 * renewed, but gevent replaces that. Caller holds the GIL. */
bool sg_thread_objects_is_first(PyObject *thread);

#endif
