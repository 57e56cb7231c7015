/* The interpreter's own lock types, also where a program has replaced them in _thread.
 *
 *     gevent:    _thread.LockType, _thread.allocate_lock and others are gevent's own
 *     eventlet:  replaces them as well, and loads _thread a second time, with types of its own
 *
 * A plain lock is made by the C function in the module's definition, which no program can replace.
 * Another type is taken from the module if its tp_name is right, else from object's subclasses.
 * All calls need the GIL; none runs code of the program. */
#ifndef STACKGLASS_LOCKS_TYPES_H
#define STACKGLASS_LOCKS_TYPES_H

#include <Python.h>

enum sg_lock_type {
    SG_TYPE_LOCK,
    SG_TYPE_RLOCK,
    SG_TYPE_SIMPLE_QUEUE,
    SG_TYPE_THREAD_HANDLE,
    SG_N_LOCK_TYPES
};

/* Return the type, a new reference; NULL if it is not there (yet). Never sets an exception. */
PyTypeObject *sg_lock_types_find(enum sg_lock_type which);
/* Make a plain lock or an RLock: a new reference, or NULL. Never sets an exception. */
PyObject *sg_lock_types_make(enum sg_lock_type which);
/* Return the function that a C module defines under `name`, even if the program has replaced it in
 * the module's dictionary; NULL if the module is not loaded or defines no such function. Owned by
 * the module's static table. */
PyMethodDef *sg_lock_types_module_definition(const char *module, const char *name);

#endif
