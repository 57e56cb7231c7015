/* Threads that are joined: see joined_threads.h. */
#include "joined_threads.h"

#include <Python.h>

#include "frame_values.h"
#include "layout.h"
#include "memory.h"
#include "python_text.h"

enum { FIRST_WITH_HANDLES = 13, HANDLE_STATE = 16, STATE_BYTES = 128 };

static const char *name_attribute(void) {
    if (sg_layout.minor < FIRST_WITH_HANDLES)
        return "_tstate_lock";
    return sg_layout.minor == FIRST_WITH_HANDLES ? "_handle" : "_os_thread_handle";
}

static bool is_thread(PyObject *object) {
    PyObject *names = sg_module_names("threading");
    PyObject *type = names ? PyDict_GetItemString(names, "Thread") : NULL; /* borrowed */
    return type && PyType_Check(type) && PyObject_TypeCheck(object, (PyTypeObject *)type);
}

bool sg_joined_find(const void *thread, struct sg_joined *joined) {
    struct sg_frame_values values;
    if (!sg_frame_values_first(thread, &values) || !values.n_locals)
        return false;
    PyObject *self = (PyObject *)sg_frame_value(values.locals[0]); /* borrowed: the frame's */
    if (!self || !is_thread(self))
        return false;
    PyObject *object = sg_plain_attribute(self, name_attribute());
    PyObject *tid = sg_plain_attribute(self, "_native_id");
    joined->object = object;
    joined->tid = tid && PyLong_CheckExact(tid) ? (pid_t)PyLong_AsLong(tid) : 0;
    PyErr_Clear();
    bool is_found = object && object != Py_None && joined->tid > 0;
    Py_XDECREF(object);
    Py_XDECREF(tid);
    return is_found;
}

bool sg_joined_owns(const void *handle, uintptr_t parked_on) {
    uintptr_t state;
    return sg_memory_read((uintptr_t)handle + HANDLE_STATE, &state, sizeof state) &&
           parked_on - state < STATE_BYTES;
}
