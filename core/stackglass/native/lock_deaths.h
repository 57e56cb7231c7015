/* Locks that die: neither their number nor their holder is the next one's at their address. All
 * calls need the GIL. */
#ifndef STACKGLASS_LOCK_DEATHS_H
#define STACKGLASS_LOCK_DEATHS_H

#include <Python.h>

/* The types whose objects are waited for. */
enum sg_lock_type {
    SG_TYPE_LOCK,
    SG_TYPE_RLOCK,
    SG_TYPE_SIMPLE_QUEUE,
    SG_TYPE_THREAD_HANDLE,
    SG_N_LOCK_TYPES
};

/* Notice the deaths of `type`'s objects. Where that cannot be, addresses stand for locks. */
void sg_lock_deaths_hook(enum sg_lock_type which, PyTypeObject *type);
void sg_lock_deaths_unhook(void);

#endif
