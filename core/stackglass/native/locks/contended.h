/* What happens when a lock is not simply free: see contended.c. All with the GIL held. */
#ifndef STACKGLASS_LOCKS_CONTENDED_H
#define STACKGLASS_LOCKS_CONTENDED_H

#include "locks/calls.h"

/* Between open and close waits are recorded; before and after, calls are passed on as they are. */
void sg_lock_contended_open(void);
void sg_lock_contended_close(void);

/* Acquire a lock, get from a queue, join a thread: by the original, and remembered if it waits. */
PyObject *sg_lock_contended_acquire(enum sg_lock_row row, const struct sg_method_patch_call *call);
PyObject *sg_lock_contended_get(enum sg_lock_row row, const struct sg_method_patch_call *call);
PyObject *sg_lock_contended_join(enum sg_lock_row row, const struct sg_method_patch_call *call);
/* Release a lock by the original, and charge it to the caller if anybody waited. */
PyObject *sg_lock_contended_release(enum sg_lock_row row, const struct sg_method_patch_call *call);

#endif
