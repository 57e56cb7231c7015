/* The attribute is looked up with one string, made in advance: the allocation of a new one at each
 * start would be in the program's heap profile. Interpreters with their own GIL may not share that
 * string, so only home's threads have their names read here. */
#include "threads/started_thread.h"

#include "interpreter/interpreters.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"

/* Guarded by home's GIL. */
static PyObject *key;        /* "_name"; owned */
static PyObject *thread;     /* threading.Thread; owned; NULL = not known yet */
static uintptr_t bound_type; /* PyMethod_Type: static in the interpreter */

void sg_started_thread_open(void) {
    bound_type = (uintptr_t)sg_python_symbols_address("PyMethod_Type");
    key = PyUnicode_InternFromString("_name");
    PyErr_Clear();
}

static bool is_thread(PyObject *object) {
    if (!thread) {
        thread = sg_python_text_global_type("threading", "Thread");
        Py_XINCREF(thread);
    }
    return thread && PyType_IsSubtype(Py_TYPE(object), (PyTypeObject *)thread);
}

void sg_started_thread_name(PyObject *function, char text[SG_TEXT_COPY_BYTES]) {
    text[0] = '\0';
    if (!key || !function || (uintptr_t)Py_TYPE(function) != bound_type ||
        !sg_interpreters_is_home_thread())
        return;
    PyObject *self =
        (PyObject *)sg_memory_load((uintptr_t)function + SG_METHOD_SELF); /* borrowed */
    PyObject *name = is_thread(self) ? sg_python_text_stored_attribute(self, key) : NULL;
    if (name && PyUnicode_Check(name))
        sg_text_copy_put(name, text);
    Py_XDECREF(name);
}

void sg_started_thread_close(void) {
    Py_CLEAR(key);
    Py_CLEAR(thread);
}

void sg_started_thread_after_fork_in_child(void) { key = thread = NULL; }
