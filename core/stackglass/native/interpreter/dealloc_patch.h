/* Patch of a type's tp_dealloc, to see the end of its objects.
 *
 * The slot's offset is the same in every version. It is used only if the fields beside it hold what
 * Python reports for the type. All calls need the GIL. */
#ifndef STACKGLASS_INTERPRETER_DEALLOC_PATCH_H
#define STACKGLASS_INTERPRETER_DEALLOC_PATCH_H

#include <Python.h>

struct sg_dealloc_patch {
    PyTypeObject *type;  /* borrowed: whoever made the swap sees to it that it lives */
    destructor original; /* stays after the restoring, for those who covered ours */
};

/* From now on `ours` is called in place of the type's own, which it has to call. 0, or -1 with
 * nothing done; never sets an exception. Ours may still be there, covered by somebody: also 0. */
int sg_dealloc_patch_apply(struct sg_dealloc_patch *swap, PyTypeObject *type, destructor ours);
/* Back, unless somebody has covered it: then ours is called on, and passes through. */
void sg_dealloc_patch_restore(struct sg_dealloc_patch *swap, destructor ours);

#endif
