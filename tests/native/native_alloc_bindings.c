/* Memory past Python's allocators, for tests. */
#include "tables.h"

#include <pthread.h>

#include "interpreter/thread_starts.h"
#include "native_memory/arenas.h"
#include "native_memory/native_alloc.h"
#include "native_memory/private_allocators.h"
#include "platform/process_memory.h"
#include "values.h"

static PyObject *redirect(PyObject *self, PyObject *args) {
    const char *problem = sg_native_alloc_redirect();
    if (!problem)
        sg_native_alloc_record_heap();
    return sg_values_text(problem);
}

static PyObject *maintain(PyObject *self, PyObject *args) {
    sg_native_alloc_maintain();
    return sg_values_none();
}

static PyObject *pause_ms(PyObject *self, PyObject *args) {
    int most_ms;
    if (!PyArg_ParseTuple(args, "i", &most_ms))
        return NULL;
    return PyLong_FromLong(sg_native_alloc_pause_ms(most_ms));
}

/* {name of a library: resident bytes in its arenas} */
static PyObject *measure(PyObject *self, PyObject *args) {
    struct sg_arena_library libraries[SG_MOST_ARENA_LIBRARIES + 1];
    sg_native_alloc_measure();
    PyObject *found = PyDict_New();
    for (size_t i = 0, n = found ? sg_arenas_list(libraries) : 0; i < n; i++) {
        PyObject *bytes = PyLong_FromUnsignedLongLong(libraries[i].bytes);
        if (!bytes || PyDict_SetItemString(found, libraries[i].name, bytes))
            Py_CLEAR(found);
        Py_XDECREF(bytes);
        if (!found)
            break;
    }
    return found;
}

static PyObject *thread_starts(PyObject *self, PyObject *args) {
    struct sg_thread_start starts[64];
    size_t n = sg_thread_starts_take(starts, sizeof starts / sizeof *starts);
    PyObject *rows = PyList_New(0);
    for (size_t i = 0; rows && i < n; i++) {
        PyObject *row =
            Py_BuildValue("(iii)", (int)starts[i].tid, (int)starts[i].starter, starts[i].is_python);
        if (!row || PyList_Append(rows, row))
            Py_CLEAR(rows);
        Py_XDECREF(row);
    }
    return rows;
}

static PyObject *restore(PyObject *self, PyObject *args) {
    sg_native_alloc_restore();
    return sg_values_none();
}

static PyObject *after_fork(PyObject *self, PyObject *args) {
    sg_native_alloc_after_fork_in_child();
    return sg_values_none();
}

/* Have each child that is forked from now on call it, before anything else runs there. */
static PyObject *register_after_fork(PyObject *self, PyObject *args) {
    if (pthread_atfork(NULL, NULL, sg_native_alloc_after_fork_in_child))
        return PyErr_NoMemory();
    return sg_values_none();
}

static PyObject *status(PyObject *self, PyObject *args) {
    struct sg_got_patch_status now;
    sg_got_patch_status(&now);
    return Py_BuildValue("{sIsIsIsIsI}", "n_libraries", now.n_libraries, "n_ours", now.n_redirected,
                         "n_foreign", now.n_foreign, "n_postponed", now.n_postponed, "n_refused",
                         now.n_refused);
}

static PyObject *allocators(PyObject *self, PyObject *args) {
    struct sg_private_allocators_status now;
    sg_private_allocators_status(&now);
    return Py_BuildValue("{sIsIsIsI}", "n_followed", now.n_followed, "n_pointers", now.n_pointers,
                         "n_refused", now.n_refused, "n_waiting", now.n_waiting);
}

static PyObject *resident(PyObject *self, PyObject *args) {
    unsigned long long before_attach_bytes, in_use_bytes;
    if (!PyArg_ParseTuple(args, "KK", &before_attach_bytes, &in_use_bytes))
        return NULL;
    struct sg_process_memory now = sg_process_memory_account(before_attach_bytes, in_use_bytes);
    return Py_BuildValue("(KKL)", (unsigned long long)now.now_bytes,
                         (unsigned long long)now.most_bytes, (long long)now.unaccounted_bytes);
}

PyMethodDef sg_native_alloc_bindings[] = {
    {"thread_starts", thread_starts, METH_NOARGS, NULL},
    {"native_alloc_redirect", redirect, METH_NOARGS, "None, or why such memory is not seen."},
    {"native_alloc_maintain", maintain, METH_NOARGS, "Several times a second."},
    {"native_alloc_pause_ms", pause_ms, METH_VARARGS, "pause_ms(most_ms): until the next call."},
    {"native_alloc_measure", measure, METH_NOARGS,
     "Resident bytes in arenas that cannot be followed, by library."},
    {"native_alloc_restore", restore, METH_NOARGS, "Import tables as they were."},
    {"native_alloc_after_fork", after_fork, METH_NOARGS, "In a forked child."},
    {"native_alloc_register_after_fork", register_after_fork, METH_NOARGS,
     "Have each forked child call it at once."},
    {"private_allocators_status", allocators, METH_NOARGS,
     "A dict of sg_private_allocators_status."},
    {"native_alloc_status", status, METH_NOARGS, "A dict of sg_got_patch_status."},
    {"resident", resident, METH_VARARGS,
     "resident(before_attach_bytes, in_use_bytes) -> (now_bytes, most_bytes, unaccounted_bytes)"},
    {NULL, NULL, 0, NULL},
};
