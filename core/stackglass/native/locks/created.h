/* Creation of locks: records at which line of the program a lock is made. All calls need the GIL.
 *
 *     threading.Lock() ← Queue.__init__ ← load (app.py:12)      the lock, and the queue: app.py:12
 *     RLock() ← <module> (logging/__init__.py:226)              made by a module's body: that line
 *
 * The recorded line is that of the innermost frame outside of the standard library's functions. */
#ifndef STACKGLASS_LOCKS_CREATED_H
#define STACKGLASS_LOCKS_CREATED_H

#include "locks/destroyed.h"

/* Hook the creation of objects of `type`; call it after sg_lock_destroyed_hook. If it is
 * impossible, no creation site is known. */
void sg_lock_created_hook(enum sg_lock_type which, PyTypeObject *type);
void sg_lock_created_unhook(void);

/* Call it before the first hook. */
void sg_lock_created_prepare(void);

#endif
