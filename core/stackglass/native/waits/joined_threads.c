/* A waiter joins the Thread that is `self` of its innermost function. In threading._shutdown it may
 * join any Thread in threading._active. The lock or address that it waits for must belong to that
 * Thread's lock or handle; otherwise no joined thread is reported. */
#include "waits/joined_threads.h"

#include <Python.h>

#include "frames/frame_values.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"

enum {
    FIRST_WITH_HANDLES = 13,
    HANDLE_STATE = 16, /* PyThreadHandleObject.handle */
    STATE_BYTES = 128  /* no less than the ThreadHandle that it points to */
};

static const char *name_attribute(void) {
    if (sg_debug_offsets.minor < FIRST_WITH_HANDLES)
        return "_tstate_lock";
    return sg_debug_offsets.minor == FIRST_WITH_HANDLES ? "_handle" : "_os_thread_handle";
}

static bool is_thread(PyObject *object) {
    PyObject *type = sg_python_text_global_type("threading", "Thread"); /* borrowed */
    return type && PyObject_TypeCheck(object, (PyTypeObject *)type);
}

/* Set `joined` to the object by which `thread`, a Thread, is joined. Returns false if `waited_for`
 * does not belong to it. */
static bool take(PyObject *thread, sg_joined_by is_it, uintptr_t waited_for,
                 struct sg_joined *joined) {
    PyObject *object_key = PyUnicode_InternFromString(name_attribute());
    PyObject *tid_key = PyUnicode_InternFromString("_native_id");
    PyObject *object = sg_python_text_stored_attribute(thread, object_key);
    PyObject *tid = sg_python_text_stored_attribute(thread, tid_key);
    Py_XDECREF(object_key);
    Py_XDECREF(tid_key);
    joined->object = object;
    joined->tid = tid && PyLong_CheckExact(tid) ? (pid_t)PyLong_AsLong(tid) : 0;
    PyErr_Clear();
    bool is_taken = object && object != Py_None && joined->tid > 0 && is_it(object, waited_for);
    Py_XDECREF(object);
    Py_XDECREF(tid);
    return is_taken;
}

/* Return whether the frame is threading._shutdown, which has no Thread as an argument. */
static bool is_shutdown(const struct sg_frame_values *values) {
    PyObject *function = sg_python_text_global("threading", "_shutdown"); /* borrowed */
    PyObject *code = function ? sg_python_text_function_code(function) : NULL;
    PyErr_Clear();
    Py_XDECREF(code); /* the function keeps it */
    return code && (uintptr_t)code == values->code;
}

static bool find_active(sg_joined_by is_it, uintptr_t waited_for, struct sg_joined *joined) {
    PyObject *active = sg_python_text_global("threading", "_active"); /* borrowed, as its items */
    PyObject *ident, *thread;
    Py_ssize_t next = 0;
    while (active && PyDict_Check(active) && PyDict_Next(active, &next, &ident, &thread)) {
        if (is_thread(thread) && take(thread, is_it, waited_for, joined))
            return true;
    }
    return false;
}

bool sg_joined_threads_is(const void *lock, uintptr_t waited_for) {
    return (uintptr_t)lock == waited_for;
}

bool sg_joined_threads_owns(const void *handle, uintptr_t parked_on) {
    uintptr_t state;
    return sg_memory_read((uintptr_t)handle + HANDLE_STATE, &state, sizeof state) &&
           parked_on - state < STATE_BYTES;
}

bool sg_joined_threads_find(const void *thread, sg_joined_by is_it, uintptr_t waited_for,
                            struct sg_joined *joined) {
    struct sg_frame_values values;
    if (!sg_frame_values_first(thread, &values))
        return false;
    PyObject *self = values.n_locals ? (PyObject *)sg_frame_fields_value(values.locals[0])
                                     : NULL; /* borrowed from the frame */
    if (self && is_thread(self))
        return take(self, is_it, waited_for, joined);
    return is_shutdown(&values) && find_active(is_it, waited_for, joined);
}
