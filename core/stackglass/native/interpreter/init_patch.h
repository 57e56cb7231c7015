/* Init patch: replaces a type's tp_init, to see the beginning of the type's objects.
 *
 *     Task(…)                        ─▶ the type's slot               ┐
 *     super().__init__(…)            ─▶ `__init__`, which wraps it    ├─▶ hook ─▶ original
 *     a derived class without one    ─▶ that class's copy of the slot ┘
 *
 * A class that is derived while the hook is in place copies the hook. The slot's offset is the same
 * in every version; it is used only if the type's `__init__` wraps the function that is found
 * there. Except for …_covers, the caller holds the GIL. */
#ifndef STACKGLASS_INTERPRETER_INIT_PATCH_H
#define STACKGLASS_INTERPRETER_INIT_PATCH_H

#include <Python.h>

#include <stdbool.h>

struct sg_init_patch {
    PyTypeObject *type; /* owned; NULL = nothing is patched */
    PyObject *wrapper;  /* the type's `__init__`; owned */
    initproc original; /* stays after a restore, because other tools or classes may call the hook */
};

/* Make `hook` the tp_init of `type`, a type of C code, and of the classes derived from it; the hook
 * has to call `patch->original`. Returns 0, or -1 if nothing was done. Never sets an exception. */
int sg_init_patch_apply(struct sg_init_patch *patch, PyTypeObject *type, initproc hook);
/* Restore the original wherever the hook is in place. */
void sg_init_patch_restore(struct sg_init_patch *patch, initproc hook);
/* Do the same in a forked child, without the GIL: derived classes keep the hook. */
void sg_init_patch_abandon(struct sg_init_patch *patch, initproc hook);

/* Whether objects of `type`, which is derived from the patched type, pass through the hook: it does
 * not call the original by a slot of its own. */
bool sg_init_patch_covers(const struct sg_init_patch *patch, const PyTypeObject *type);

#endif
