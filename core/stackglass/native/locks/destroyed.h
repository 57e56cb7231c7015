/* Destruction of locks: a hook forgets the number and the holder of a lock that is destroyed, so
 * that the next lock at its address does not inherit them. All calls need the GIL. */
#ifndef STACKGLASS_LOCKS_DESTROYED_H
#define STACKGLASS_LOCKS_DESTROYED_H

#include <Python.h>

#include "locks/types.h"

/* Hook the destruction of objects of `type`. If that is impossible, a new lock is taken for the
 * destroyed one at the same address. */
void sg_lock_destroyed_hook(enum sg_lock_type which, PyTypeObject *type);
void sg_lock_destroyed_unhook(void);

#endif
