/* Finds the lock types in the C definitions of modules, then in the modules' dictionaries, then
 * among all subclasses of object. */
#include "locks/types.h"

#include <stdbool.h>
#include <string.h>

#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"

enum { MOST_NAME_BYTES = 32 };

static const struct {
    const char *module, *name;  /* in the module */
    char full[MOST_NAME_BYTES]; /* tp_name of the type */
    int first_minor;
} TYPES[SG_N_LOCK_TYPES] = {
    [SG_TYPE_LOCK] = {"_thread", "LockType", "_thread.lock"},
    [SG_TYPE_RLOCK] = {"_thread", "RLock", "_thread.RLock"},
    [SG_TYPE_SIMPLE_QUEUE] = {"_queue", "SimpleQueue", "_queue.SimpleQueue"},
    [SG_TYPE_THREAD_HANDLE] = {"_thread", "_ThreadHandle", "_thread._ThreadHandle", 13},
};

static PyObject *find_module(const char *name) {
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed from the interpreter */
    PyObject *found = modules ? PyDict_GetItemString(modules, name) : NULL; /* borrowed */
    return found && PyModule_Check(found) ? found : NULL;
}

PyMethodDef *sg_lock_types_module_definition(const char *module, const char *name) {
    PyObject *loaded = find_module(module); /* borrowed */
    PyModuleDef *definition = loaded ? PyModule_GetDef(loaded) : NULL;
    PyErr_Clear();
    PyMethodDef *methods = definition ? definition->m_methods : NULL;
    for (; methods && methods->ml_name; methods++)
        if (!strcmp(methods->ml_name, name))
            return methods;
    return NULL;
}

static PyObject *make_lock(void) {
    PyMethodDef *maker = sg_lock_types_module_definition("_thread", "allocate_lock");
    if (!maker || !(maker->ml_flags & METH_NOARGS))
        return NULL;
    PyObject *lock = maker->ml_meth(find_module("_thread"), NULL);
    if (!lock)
        PyErr_Clear();
    return lock;
}

/* Whether `object` is the C type `which`, by its tp_name. No class statement makes such a type: the
 * tp_name of a Python class has no module. */
static bool is_it(PyObject *object, enum sg_lock_type which) {
    uintptr_t name;
    char text[MOST_NAME_BYTES];
    size_t size = strlen(TYPES[which].full) + 1;
    return object && PyType_Check(object) &&
           sg_memory_read_probed((uintptr_t)object + SG_TP_NAME, &name, sizeof name) &&
           sg_memory_read_probed(name, text, size) && !memcmp(text, TYPES[which].full, size);
}

/* Return the oldest type of that name, a new reference, or NULL. */
static PyTypeObject *search(enum sg_lock_type which) {
    PyObject *all = sg_python_text_call((PyObject *)&PyBaseObject_Type, "__subclasses__");
    PyObject *found = NULL;
    for (Py_ssize_t i = 0; all && !found && i < PyList_Size(all); i++)
        if (is_it(PyList_GetItem(all, i), which))
            found = PyList_GetItem(all, i);
    Py_XINCREF(found);
    Py_XDECREF(all);
    PyErr_Clear();
    return (PyTypeObject *)found;
}

PyTypeObject *sg_lock_types_find(enum sg_lock_type which) {
    if (sg_python_symbols.minor < TYPES[which].first_minor)
        return NULL;
    PyObject *module = find_module(TYPES[which].module); /* borrowed, like `type` */
    PyObject *type =
        module ? PyDict_GetItemString(PyModule_GetDict(module), TYPES[which].name) : NULL;
    PyObject *lock = which == SG_TYPE_LOCK ? make_lock() : NULL;
    if (lock)
        type = (PyObject *)Py_TYPE(lock);
    bool is_right = is_it(type, which);
    if (is_right)
        Py_INCREF(type);
    Py_XDECREF(lock);
    return is_right ? (PyTypeObject *)type : module ? search(which) : NULL;
}

PyObject *sg_lock_types_make(enum sg_lock_type which) {
    if (which == SG_TYPE_LOCK)
        return make_lock();
    PyTypeObject *type = sg_lock_types_find(which);
    PyObject *made = type ? PyObject_CallObject((PyObject *)type, NULL) : NULL;
    if (!made)
        PyErr_Clear();
    Py_XDECREF(type);
    return made;
}
