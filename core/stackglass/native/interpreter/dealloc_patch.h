/* Patch of a type's tp_dealloc, to see the end of its objects.
 *
 * The slot's offset is the same in every version. It is used only if the fields beside it hold what
 * Python reports for the type. All calls need the GIL. */
#ifndef STACKGLASS_INTERPRETER_DEALLOC_PATCH_H
#define STACKGLASS_INTERPRETER_DEALLOC_PATCH_H

#include <Python.h>

struct sg_dealloc_patch {
    PyTypeObject *type;  /* borrowed: the caller keeps it alive */
    destructor original; /* stays after a restore, because another tool may still call the hook */
};

/* Call `hook` instead of the type's own function, which the hook has to call. 0, also if the hook
 * is still there; or -1 with nothing done. Never sets an exception. */
int sg_dealloc_patch_apply(struct sg_dealloc_patch *patch, PyTypeObject *type, destructor hook);
/* Restore the original, unless another tool has wrapped the hook, which then passes calls through.
 */
void sg_dealloc_patch_restore(struct sg_dealloc_patch *patch, destructor hook);

#endif
