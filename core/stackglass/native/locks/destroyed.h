/* Locks that die: neither their number nor their holder is the next one's at their address. All
 * calls need the GIL. */
#ifndef STACKGLASS_LOCKS_DESTROYED_H
#define STACKGLASS_LOCKS_DESTROYED_H

#include <Python.h>

#include "locks/types.h"

/* Notice the deaths of `type`'s objects. Where that cannot be, addresses stand for locks. */
void sg_lock_destroyed_hook(enum sg_lock_type which, PyTypeObject *type);
void sg_lock_destroyed_unhook(void);

#endif
