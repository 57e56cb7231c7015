/* What threads wait for beyond locks, while it lives: Conditions, Events, Queues, Futures …
 *
 *     _thread.lock.acquire ← Condition.wait ← Queue.get ← work
 *        lives for one wait                     self: the queue that people know
 *
 * Each is watched by a weak reference, so that what comes to lie at its address is not taken for
 * it. All calls need the GIL. */
#ifndef STACKGLASS_WAITED_OBJECTS_H
#define STACKGLASS_WAITED_OBJECTS_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "primitives.h"

enum { SG_WAITED_OBJECTS = 1 << 14 }; /* watched at a time */

int sg_waited_objects_prepare(void); /* 0 or -1 */
void sg_waited_objects_discard(void);
/* As discard without the GIL, in a forked child: the references stay. */
void sg_waited_objects_abandon(void);

/* Whose method the calling thread has called to wait, or to release: `self` of the outermost of the
 * `n_primitives` Python functions at its leaf side, borrowed from its frame, and what it is. NULL =
 * there is none, or it is nothing that is told apart. */
PyObject *sg_waited_object(uint32_t n_primitives, enum sg_primitive *is);

/* From now on its death strikes its number out (contention.h). False if there are too many, or it
 * cannot be watched. Runs no code of the program's but a collection, as any allocation may; keeps
 * the exception that is set. */
bool sg_waited_objects_watch(PyObject *object);

#endif
