/* The patch is a store into the type's slot. It fails if the slot's page is read-only. */
#include "interpreter/dealloc_patch.h"

#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"

static destructor *dealloc_slot(const PyTypeObject *type) {
    return (destructor *)((uintptr_t)type + SG_TP_DEALLOC);
}

/* Is tp_dealloc at its offset? Python reports tp_basicsize, which is near it, and from 3.10 on the
 * slot itself. */
static bool is_as_expected(PyTypeObject *type) {
    PyObject *size = sg_python_text_attribute((PyObject *)type, "__basicsize__");
    if (!size) {
        PyErr_Clear();
        return false;
    }
    bool is_expected =
        PyLong_AsSsize_t(size) == (Py_ssize_t)sg_memory_load((uintptr_t)type + SG_TP_BASICSIZE);
    Py_DecRef(size);
    if (is_expected && sg_python_symbols.minor >= 10) /* 3.9 supports heap types only */
        is_expected = PyType_GetSlot(type, Py_tp_dealloc) == (void *)*dealloc_slot(type);
    return is_expected;
}

int sg_dealloc_patch_apply(struct sg_dealloc_patch *patch, PyTypeObject *type, destructor hook) {
    destructor *slot = dealloc_slot(type);
    if (!is_as_expected(type))
        return -1;
    if (*slot != hook) {
        patch->original = *slot;
        if (!sg_memory_store((void **)slot, (void *)hook))
            return -1;
    }
    patch->type = type;
    return 0;
}

void sg_dealloc_patch_restore(struct sg_dealloc_patch *patch, destructor hook) {
    if (patch->type && *dealloc_slot(patch->type) == hook)
        *dealloc_slot(patch->type) = patch->original;
    patch->type = NULL;
}
