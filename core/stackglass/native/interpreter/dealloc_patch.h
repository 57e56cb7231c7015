/* Dealloc patch: replaces a type's tp_dealloc, to see the end of the type's objects.
 *
 * The slot's offset is the same in every version. The offset is used only if Python reports the
 * same values for the type as are found at and near it. The caller holds the GIL. */
#ifndef STACKGLASS_INTERPRETER_DEALLOC_PATCH_H
#define STACKGLASS_INTERPRETER_DEALLOC_PATCH_H

#include <Python.h>

struct sg_dealloc_patch {
    PyTypeObject *type;  /* borrowed: the caller keeps it alive */
    destructor original; /* stays after a restore, because another tool may still call the hook */
};

/* Make `hook` the type's tp_dealloc; the hook has to call `patch->original`. Returns 0, also if the
 * hook is in place already, or -1 if nothing was done. Never sets an exception. */
int sg_dealloc_patch_apply(struct sg_dealloc_patch *patch, PyTypeObject *type, destructor hook);
/* Restore the original. If another tool has wrapped the hook, the hook stays in place. */
void sg_dealloc_patch_restore(struct sg_dealloc_patch *patch, destructor hook);

#endif
