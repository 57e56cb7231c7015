/* Destruction of locks: forgets the number and the holder, which the next lock at the address must
 * not inherit. All calls need the GIL. */
#ifndef STACKGLASS_LOCKS_DESTROYED_H
#define STACKGLASS_LOCKS_DESTROYED_H

#include <Python.h>

#include "locks/types.h"

/* Hook the destruction of `type`'s objects. Where that is impossible, locks at one address are not
 * distinguished. */
void sg_lock_destroyed_hook(enum sg_lock_type which, PyTypeObject *type);
void sg_lock_destroyed_unhook(void);

#endif
