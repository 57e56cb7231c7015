/* Which of asyncio's functions has called us, and for which object.
 *
 *     Future.__await__ ← Event.wait ← Queue.join ← work     a wait; Queue.join, of that queue
 *     Future.set_result ← _wake_up_first ← Lock.release     a release, of that lock
 *     Future.set_result ← Event.set                         neither: nobody was held up
 *     Context.run ← Handle._run                             a callback of an event loop
 *
 * Recognised by code objects, learned from modules that are loaded; nothing is imported. Whose
 * method it is needs sg_python_frames_prepare. All calls need the GIL; the questions are asked by
 * C functions that Python code has called. */
#ifndef STACKGLASS_ASYNCIO_CALLERS_H
#define STACKGLASS_ASYNCIO_CALLERS_H

#include <Python.h>

#include <stdbool.h>

#include "frames/primitives.h"

/* Look for those that are not known yet. False if asyncio is not (wholly) there. */
bool sg_asyncio_callers_learn(void);
void sg_asyncio_callers_forget(void);
/* As forget, without the GIL: between fork and its return, in the child. What was owned stays. */
void sg_asyncio_callers_abandon(void);

/* Objects are borrowed: their frames' `self`; NULL = not known. */
struct sg_asyncio_call {
    enum sg_primitive primitive; /* the outermost one */
    PyObject *object;            /* whose it is */
    PyObject *held;              /* what somebody has and has to let go of first: a Lock … */
};
/* Does a primitive call that has to wait? */
bool sg_asyncio_callers_is_wait(struct sg_asyncio_call *call);
/* Does one call that lets go of something which others have waited for its holder to let go of? */
bool sg_asyncio_callers_is_release(struct sg_asyncio_call *call);
/* Does an event loop's Handle call? */
bool sg_asyncio_callers_is_handle(void);

#endif
