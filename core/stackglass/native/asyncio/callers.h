/* The asyncio function that has called a hook, and the object it was called for.
 *
 *     Future.__await__ ← Event.wait ← Queue.join ← work     a wait; Queue.join, of that queue
 *     Future.set_result ← _wake_up_first ← Lock.release     a release, of that lock
 *     Future.set_result ← Event.set                         neither: no task was delayed
 *     Context.run ← Handle._run                             a callback of an event loop
 *
 * Functions are recognised by their code objects, learned from loaded modules; nothing is imported.
 * Needs sg_python_frames_prepare. All calls need the GIL, and are made by C functions that Python
 * code has called. */
#ifndef STACKGLASS_ASYNCIO_CALLERS_H
#define STACKGLASS_ASYNCIO_CALLERS_H

#include <Python.h>

#include <stdbool.h>

#include "frames/primitives.h"

/* Look for those that are not known yet. False if asyncio is not (wholly) there. */
bool sg_asyncio_callers_learn(void);
void sg_asyncio_callers_forget(void);
/* As forget, without the GIL, in a forked child: references stay. */
void sg_asyncio_callers_abandon(void);

/* Objects are borrowed: their frames' `self`; NULL = not known. */
struct sg_asyncio_call {
    enum sg_primitive primitive; /* the outermost one */
    PyObject *object;            /* that it is a method of */
    PyObject *held;              /* what a task must release first: a Lock … */
};
/* Is the caller a primitive that has to wait? */
bool sg_asyncio_callers_is_wait(struct sg_asyncio_call *call);
/* Is the caller a release of something that has a holder? */
bool sg_asyncio_callers_is_release(struct sg_asyncio_call *call);
/* Is the caller an event loop's Handle? */
bool sg_asyncio_callers_is_handle(void);

#endif
