/* What threads wait for beyond locks: Conditions, Events, Queues, Futures …
 *
 *     _thread.lock.acquire ← Condition.wait ← Queue.get ← work
 *        lives for one wait                     self: the queue that people know
 *
 * All calls need the GIL. */
#ifndef STACKGLASS_CONTENTION_WAIT_TARGETS_H
#define STACKGLASS_CONTENTION_WAIT_TARGETS_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "frames/primitives.h"

int sg_wait_targets_prepare(void); /* 0 or -1 */
void sg_wait_targets_discard(void);
/* As discard without the GIL, in a forked child. */
void sg_wait_targets_abandon(void);

/* Whose method `thread`, a PyThreadState that stands in a call, has called to wait, or to release:
 * `self` of the outermost of the `n_primitives` Python functions at its leaf side, borrowed from
 * its frame, and what it is. NULL = there is none, or it is nothing that can be told apart.
 * Allocates nothing. */
PyObject *sg_wait_targets_find(const void *thread, uint32_t n_primitives, enum sg_primitive *is);
/* Watch it (objects/tracked_objects.h): its death strikes its number out (contention.h). False if
 * it cannot be watched. */
bool sg_wait_targets_watch(PyObject *object);
/* Both, of the calling thread. */
const void *sg_wait_targets_of(uint32_t n_primitives, enum sg_primitive *is);

#endif
