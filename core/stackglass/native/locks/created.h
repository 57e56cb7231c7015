/* Locks that are made: at which line of the program. All calls need the GIL.
 *
 *     threading.Lock() ← Queue.__init__ ← load (app.py:12)      the lock, and the queue: app.py:12
 *     RLock() ← <module> (logging/__init__.py:226)              what a module makes as it is loaded
 *
 * The standard library's functions are passed over, for the first frame of anybody else's. */
#ifndef STACKGLASS_LOCKS_CREATED_H
#define STACKGLASS_LOCKS_CREATED_H

#include "locks/destroyed.h"

/* Notice the births of `type`'s objects; after its deaths. Where that cannot be, nothing is known.
 */
void sg_lock_created_hook(enum sg_lock_type which, PyTypeObject *type);
void sg_lock_created_unhook(void);

/* Learn what there is to know before the first is made. */
void sg_lock_created_prepare(void);

#endif
