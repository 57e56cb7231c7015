/* Callers: which asyncio function has called a hook, and for which object.
 *
 *     Future.__await__ ← Event.wait ← Queue.join ← work     a wait; Queue.join, of that queue
 *     Future.set_result ← _wake_up_first ← Lock.release     a release, of that lock
 *     Future.set_result ← Event.set                         neither: no task was delayed
 *     Context.run ← Handle._run                             a callback of an event loop
 *
 * Functions are recognised by their code objects, learned from loaded modules; nothing is imported.
 * Needs sg_python_frames_prepare. All functions but sg_asyncio_callers_abandon and
 * …_describe_replaced need the GIL. The last three are called by C functions that Python code has
 * called. */
#ifndef STACKGLASS_ASYNCIO_CALLERS_H
#define STACKGLASS_ASYNCIO_CALLERS_H

#include <Python.h>

#include <stdbool.h>

#include "frames/primitives.h"

/* Look up the functions that are not known yet. Returns false if some are still missing, because
 * asyncio is not imported, or not wholly. */
bool sg_asyncio_callers_learn(void);
/* Look for functions that the program has replaced since they were learned. Those that were learned
 * are still recognised, as a replacement may call them. */
void sg_asyncio_callers_check(void);
/* Which of the functions were no longer asyncio's own when they were learned, or at a check since,
 * as a part of a sentence; "" = none. Any thread, without the GIL. */
void sg_asyncio_callers_describe_replaced(char *text, size_t size);
void sg_asyncio_callers_forget(void);
/* Forget the functions in a forked child, without the GIL: references are not released. */
void sg_asyncio_callers_abandon(void);

/* Objects are borrowed, from the local `self` of frames; NULL = not known. */
struct sg_asyncio_call {
    enum sg_primitive primitive; /* the outermost one */
    PyObject *object;            /* the object whose method it is */
    PyObject *held; /* object with a holder that must release it: a Lock, a Semaphore */
};
/* Whether the caller is a primitive that has to wait; fills in `call` if it is. */
bool sg_asyncio_callers_is_wait(struct sg_asyncio_call *call);
/* Whether the caller is a release of something that has a holder; fills in `call` if it is. */
bool sg_asyncio_callers_is_release(struct sg_asyncio_call *call);
/* Whether the caller is an event loop's Handle. */
bool sg_asyncio_callers_is_handle(void);

#endif
