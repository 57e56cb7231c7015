/* Wait targets: the Condition, Event, Queue or Future that a thread waits for, in place of the
 * lock.
 *
 *     _thread.lock.acquire ← Condition.wait ← Queue.get ← work
 *        lives for one wait                     self: the queue that the program knows
 *
 * All calls need the GIL. */
#ifndef STACKGLASS_CONTENTION_WAIT_TARGETS_H
#define STACKGLASS_CONTENTION_WAIT_TARGETS_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "frames/primitives.h"

/* Returns 0 or -1. `died` is called when a tracked object dies. */
int sg_wait_targets_prepare(void (*died)(const void *address));
void sg_wait_targets_discard(void);
/* Does the same in a forked child, without the GIL. */
void sg_wait_targets_abandon(void);

/* Return the object in whose method `thread`, a PyThreadState, waits or releases: `self` of the
 * outermost of the `n_primitives` Python functions at its leaf, borrowed from its frame; sets
 * `*type`. Returns NULL if there is no object that could be distinguished. Allocates nothing. */
PyObject *sg_wait_targets_find(const void *thread, uint32_t n_primitives, enum sg_primitive *type);
/* Track `object` until its death (objects/tracked_objects.h). Returns false if it cannot be
 * tracked. */
bool sg_wait_targets_track(PyObject *object);
/* Find the calling thread's object and track it. Returns its address, or NULL if there is none. */
const void *sg_wait_targets_of(uint32_t n_primitives, enum sg_primitive *type);

#endif
