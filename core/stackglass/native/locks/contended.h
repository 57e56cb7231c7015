/* The slow path of acquire and release, for locks that are contended: see contended.c. All calls
 * need the GIL. */
#ifndef STACKGLASS_LOCKS_CONTENDED_H
#define STACKGLASS_LOCKS_CONTENDED_H

#include <stdbool.h>

#include "locks/calls.h"

/* Between open and close waits are recorded; before and after, calls are only passed on. `learn` is
 * called when modules have been imported. */
void sg_lock_contended_open(void (*learn)(void));
void sg_lock_contended_close(void);
bool sg_lock_contended_is_open(void);

/* Acquire a lock, get from a queue, or join a thread, by the original; a wait is recorded. */
PyObject *sg_lock_contended_acquire(enum sg_lock_row row, const struct sg_method_patch_call *call);
PyObject *sg_lock_contended_get(enum sg_lock_row row, const struct sg_method_patch_call *call);
PyObject *sg_lock_contended_join(enum sg_lock_row row, const struct sg_method_patch_call *call);
/* Release a lock by the original; the waits of other threads for it are charged to the caller. */
PyObject *sg_lock_contended_release(enum sg_lock_row row, const struct sg_method_patch_call *call);

#endif
