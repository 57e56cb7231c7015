/* Creation of locks: records at which line of the program a lock is made. All calls need the GIL.
 *
 *     threading.Lock() ← Queue.__init__ ← load (app.py:12)      the lock, and the queue: app.py:12
 *     RLock() ← <module> (logging/__init__.py:226)              made by a module's body: that line
 *
 * Recorded is the first frame that is not in a function of the standard library. */
#ifndef STACKGLASS_LOCKS_CREATED_H
#define STACKGLASS_LOCKS_CREATED_H

#include "locks/destroyed.h"

/* Hook the creation of `type`'s objects; after its destruction. Where that is impossible, no site
 * is known. */
void sg_lock_created_hook(enum sg_lock_type which, PyTypeObject *type);
void sg_lock_created_unhook(void);

/* Before the first hook. */
void sg_lock_created_prepare(void);

#endif
