/* A thread's label set is the value of one ContextVar (`_current` of stackglass.api.labels) in the
 * thread's current context: a LabelSet, which is a float that holds the set's number.
 *
 *     is_known = false ──learn: variable, type, list──▶ true ──forget──▶ false
 *
 * Signal handlers read what `learn` writes only while is_known is true. */
#include "labels/labels.h"

#include <stdatomic.h>
#include <string.h>

#include "interpreter/object_fields.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"

enum { FLOAT_VALUE = 16 /* offset of ob_fval */, MOST_SETS = SG_OTHER_LABELS + 1 };

/* Written with the GIL held while `is_known` is false; constant while it is true. */
static struct sg_contextvar variable;
static uintptr_t set_type;
static PyObject *owned_variable, *owned_type, *owned_list;
static bool is_refused; /* contexts cannot be read here; guarded by the GIL */

/* Lock-free. */
static _Atomic bool is_known;
static _Atomic uint64_t n_unknown;

void sg_labels_learn(void) {
    if (atomic_load(&is_known) || is_refused)
        return;
    PyObject *names = sg_python_text_module_names("stackglass.api.labels");
    if (!names)
        return;
    /* Borrowed from the module. */
    PyObject *current = PyDict_GetItemString(names, "_current");
    PyObject *type = PyDict_GetItemString(names, "LabelSet");
    PyObject *list = PyDict_GetItemString(names, "_sets");
    if (!current || !type || !list || !PyType_Check(type) || !PyList_Check(list) ||
        !PyType_IsSubtype((PyTypeObject *)type,
                          &PyFloat_Type)) /* the module is still being imported */
        return;
    is_refused = sg_contextvars_prepare() || !sg_contextvars_identify(current, &variable);
    if (is_refused)
        return;
    Py_INCREF(current);
    Py_INCREF(type);
    Py_INCREF(list);
    owned_variable = current;
    owned_type = type;
    owned_list = list;
    set_type = (uintptr_t)type;
    atomic_store(&n_unknown, 0); /* counted from the beginning of a session */
    atomic_store(&is_known, true);
}

void sg_labels_forget(void) {
    if (!atomic_exchange(&is_known, false))
        return;
    Py_DECREF(owned_variable);
    Py_DECREF(owned_type);
    Py_DECREF(owned_list);
    owned_variable = owned_type = owned_list = NULL;
}

void sg_labels_after_fork_in_child(void) {
    atomic_store(&is_known, false);
    atomic_store(&n_unknown, 0);
    owned_variable = owned_type = owned_list = NULL; /* not released: the child may lack the GIL */
}

static bool read_in_place(uintptr_t address, void *copy, size_t size) {
    memcpy(copy, (const void *)address, size);
    return true;
}

/* Read the number of the label set `value`. Returns false if `value` is not a label set. */
static bool read_number(uintptr_t value, sg_read_fn *read, uint32_t *number) {
    uintptr_t type;
    double content;
    if (!read(value + SG_OB_TYPE, &type, sizeof type) || type != set_type ||
        !read(value + FLOAT_VALUE, &content, sizeof content) ||
        !(content >= 0 && content < MOST_SETS))
        return false;
    *number = (uint32_t)content;
    return true;
}

static uint32_t read_result(enum sg_contextvar_result result, sg_read_fn *read, uintptr_t value) {
    uint32_t number = SG_NO_LABELS;
    if (result == SG_CONTEXTVAR_UNREADABLE ||
        (result == SG_CONTEXTVAR_FOUND && !read_number(value, read, &number)))
        atomic_fetch_add_explicit(&n_unknown, 1, memory_order_relaxed);
    return number;
}

static bool is_readable(const void *object) {
    return object && atomic_load_explicit(&is_known, memory_order_acquire);
}

static uint32_t find(const void *thread, sg_read_fn *read) {
    uintptr_t value = 0;
    if (!is_readable(thread))
        return SG_NO_LABELS;
    enum sg_contextvar_result result = sg_contextvars_find(thread, &variable, read, &value);
    return read_result(result, read, value);
}

uint32_t sg_labels_of_caller(const void *thread) { return find(thread, read_in_place); }

uint32_t sg_labels_outside(const void *thread) { return find(thread, sg_memory_read_foreign); }

uint32_t sg_labels_of_context(const void *context) {
    uintptr_t value = 0;
    if (!is_readable(context) || !sg_contextvars_is_context(context))
        return SG_NO_LABELS;
    enum sg_contextvar_result result =
        sg_contextvars_find_in((uintptr_t)context, &variable, read_in_place, &value);
    return read_result(result, read_in_place, value);
}

uint64_t sg_labels_n_unknown(void) { return atomic_load(&n_unknown); }

PyObject *sg_labels_list(void) { return atomic_load(&is_known) ? owned_list : NULL; }
