/* Looks up the private tables of threading and asyncio by name, in their modules. A table that this
 * Python version lacks is NULL: then the search follows all references to threads or tasks, so it
 * may miss a leak, but reports no false one. */
#include "leaks/bookkeeping.h"

#include <string.h>

#include "interpreter/debug_offsets.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "leaks/references.h"
#include "platform/memory.h"

static PyObject *find_data(const char *module, const char *name) {
    PyObject *weak_set = sg_python_text_global(module, name); /* borrowed */
    return weak_set ? sg_python_text_kept_attribute(weak_set, "data") : NULL;
}

struct sg_books sg_bookkeeping_find(void) {
    PyObject *class = sg_python_text_global("threading", "Thread"); /* borrowed */
    PyObject *names = class ? sg_python_text_class_names(class) : NULL;
    return (struct sg_books){
        .active = sg_python_text_global("threading", "_active"),
        .bootstrap = names ? PyDict_GetItemString(names, "_bootstrap") : NULL,
        .weak_sets = {find_data("threading", "_dangling"), find_data("asyncio.tasks", "_all_tasks"),
                      find_data("asyncio.tasks", "_scheduled_tasks")},
    };
}

bool sg_bookkeeping_has_weak_set(const struct sg_books *books, PyObject *object) {
    for (int i = 0; i < SG_N_WEAK_SETS; i++) {
        if (books->weak_sets[i] == object)
            return true;
    }
    return false;
}

/* ---- Threads ---- */

/* A visitproc for the references of a Thread: stores its attribute dictionary in `context`. A
 * Thread also refers to the dictionary _kwargs, which has no key "_started". */
static int visit_attributes(PyObject *object, void *context) {
    PyObject **found = context;
    if (object && Py_TYPE(object) == &PyDict_Type && PyDict_GetItemString(object, "_started"))
        *found = object;
    return 0;
}

struct sg_kept_thread sg_bookkeeping_find_thread(const struct sg_books *books, uint64_t ident) {
    static const char *const START[SG_N_START_VALUES] = {"_target", "_args", "_kwargs"};
    struct sg_kept_thread kept = {0};
    PyObject *key = PyLong_FromUnsignedLongLong(ident);
    if (books->active && key && PyDict_CheckExact(books->active))
        kept.thread = PyDict_GetItem(books->active, key); /* borrowed from the dictionary */
    Py_XDECREF(key);
    for (int i = 0; kept.thread && i < SG_N_START_VALUES; i++)
        kept.start[i] = sg_python_text_kept_attribute(kept.thread, START[i]);
    if (kept.thread)
        sg_references_visit(kept.thread, visit_attributes, &kept.attributes);
    PyErr_Clear();
    return kept;
}

PyObject *sg_bookkeeping_started_by(const struct sg_books *books, PyObject *object) {
    static const void *method_type; /* static in the interpreter */
    if (!method_type)
        method_type = sg_python_symbols_address("PyMethod_Type");
    if (!books->bootstrap || (const void *)Py_TYPE(object) != method_type)
        return NULL;
    PyObject *function = (PyObject *)sg_memory_load((uintptr_t)object + SG_METHOD_FUNCTION);
    return function == books->bootstrap
               ? (PyObject *)sg_memory_load((uintptr_t)object + SG_METHOD_SELF)
               : NULL;
}

enum sg_lock_method sg_bookkeeping_lock_method(PyObject *object, PyObject **lock) {
    static const struct {
        const char *name;
        enum sg_lock_method method;
    } METHODS[] = {
        {"__enter__", SG_LOCK_ENTERS},
        {"acquire", SG_LOCK_ACQUIRES},
        {"acquire_lock", SG_LOCK_ACQUIRES},
        {"__exit__", SG_LOCK_EXITS}, /* last, since most versions leave it out */
    };
    bool keeps_exit = sg_debug_offsets.minor == 12 || sg_debug_offsets.minor == 13;
    size_t n_methods = sizeof METHODS / sizeof *METHODS - (keeps_exit ? 0 : 1);
    if (!PyCFunction_Check(object))
        return SG_NO_LOCK_METHOD;
    const char *name =
        (const char *)sg_memory_load(sg_memory_load((uintptr_t)object + SG_C_FUNCTION_DEFINITION));
    *lock = PyCFunction_GetSelf(object);
    for (size_t i = 0; i < n_methods; i++) {
        if (strcmp(name, METHODS[i].name) == 0)
            return METHODS[i].method;
    }
    return SG_NO_LOCK_METHOD;
}

/* ---- Finalizers ---- */

static uint64_t finalizer_of(PyObject *type) {
    return type && PyType_Check(type) ? sg_memory_load((uintptr_t)type + SG_TP_FINALIZE) : 0;
}

bool sg_bookkeeping_has_finalizer(PyObject *object) {
    PyObject *type = (PyObject *)Py_TYPE(object);
    uint64_t finalizer = finalizer_of(type);
    if (!sg_references_has_finalizer(object))
        return false;
    bool only_logs =
        finalizer && (finalizer == finalizer_of(sg_python_text_global("_asyncio", "Task")) ||
                      finalizer == finalizer_of(sg_python_text_global("_asyncio", "Future")));
    return !only_logs && type != sg_python_text_global("asyncio.tasks", "_PyTask") &&
           type != sg_python_text_global("asyncio.futures", "_PyFuture");
}
