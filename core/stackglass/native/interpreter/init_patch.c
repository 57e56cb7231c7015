/* The patch is a store into the slots of the type and of its derived classes, and into the wrapper
 * that the type has as `__init__`. Nothing else keeps the function: a call of a class reads its
 * slot, and a call of the wrapper reads what it wraps. */
#include "interpreter/init_patch.h"

#include "interpreter/object_fields.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"

enum {
    WRAPPED = 48,      /* PyWrapperDescrObject.d_wrapped, behind a PyDescrObject and d_base */
    MOST_TYPES = 4096, /* derived classes that are looked at */
};

static initproc *slot_of(const PyTypeObject *type) {
    return (initproc *)((uintptr_t)type + SG_TP_INIT);
}

static initproc *wrapped_by(PyObject *wrapper) {
    return (initproc *)((uintptr_t)wrapper + WRAPPED);
}

static void exchange(initproc *place, initproc from, initproc to) {
    if (*place == from)
        *place = to;
}

/* Append the classes that are directly derived from `type`. `list_derived`: type.__subclasses__, so
 * that no metaclass of the program is asked. */
static void add_derived(PyObject *types, PyObject *list_derived, PyObject *type) {
    PyObject *derived = PyObject_CallFunctionObjArgs(list_derived, type, NULL);
    Py_ssize_t n = derived && PyList_Check(derived) ? PyList_Size(derived) : 0;
    for (Py_ssize_t i = 0; i < n && PyList_Size(types) < MOST_TYPES; i++)
        PyList_Append(types, PyList_GetItem(derived, i));
    Py_XDECREF(derived);
    PyErr_Clear();
}

/* Replace `from` by `to` in the slots of all classes derived from `type`. */
static void exchange_in_derived(PyTypeObject *type, initproc from, initproc to) {
    PyObject *list_derived = sg_python_text_attribute((PyObject *)&PyType_Type, "__subclasses__");
    PyObject *types = PyList_New(0);
    if (list_derived && types) {
        add_derived(types, list_derived, (PyObject *)type);
        for (Py_ssize_t i = 0; i < PyList_Size(types); i++) {
            PyObject *derived = PyList_GetItem(types, i);
            exchange(slot_of((PyTypeObject *)derived), from, to);
            add_derived(types, list_derived, derived);
        }
    }
    PyErr_Clear();
    Py_XDECREF(types);
    Py_XDECREF(list_derived);
}

/* Is the slot at the expected offset? The type's `__init__` wraps the same function. */
static bool is_as_expected(PyTypeObject *type, PyObject *wrapper) {
    initproc wrapped = NULL, found = NULL;
    return wrapper && Py_TYPE(wrapper) == &PyWrapperDescr_Type &&
           sg_memory_read((uintptr_t)wrapped_by(wrapper), &wrapped, sizeof wrapped) &&
           sg_memory_read((uintptr_t)slot_of(type), &found, sizeof found) && found &&
           found == wrapped;
}

int sg_init_patch_apply(struct sg_init_patch *patch, PyTypeObject *type, initproc hook) {
    PyObject *wrapper = sg_python_text_attribute((PyObject *)type, "__init__");
    bool is_expected = is_as_expected(type, wrapper);
    if (is_expected && *slot_of(type) != hook)
        patch->original = *slot_of(type);
    if (!is_expected || !sg_memory_store((void **)slot_of(type), (void *)hook)) {
        Py_XDECREF(wrapper);
        return -1;
    }
    *wrapped_by(wrapper) = hook;
    exchange_in_derived(type, patch->original, hook);
    Py_INCREF(type);
    patch->type = type;
    patch->wrapper = wrapper;
    return 0;
}

static void restore_type(struct sg_init_patch *patch, initproc hook) {
    if (!patch->type)
        return;
    exchange(slot_of(patch->type), hook, patch->original);
    exchange(wrapped_by(patch->wrapper), hook, patch->original);
}

void sg_init_patch_restore(struct sg_init_patch *patch, initproc hook) {
    restore_type(patch, hook);
    if (patch->type)
        exchange_in_derived(patch->type, hook, patch->original);
    Py_CLEAR(patch->type);
    Py_CLEAR(patch->wrapper);
}

void sg_init_patch_abandon(struct sg_init_patch *patch, initproc hook) {
    restore_type(patch, hook);
    patch->type = NULL; /* references stay: the GIL may not be held */
    patch->wrapper = NULL;
}

bool sg_init_patch_covers(const struct sg_init_patch *patch, const PyTypeObject *type) {
    return *slot_of(type) != patch->original;
}
