/* Bindings of injection: Python code loads a library into another process, and reads the system
 * call filters of a thread. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <string.h>

#include "bindings/address_ranges.h"
#include "bindings/method_tables.h"
#include "inject/filters.h"
#include "inject/inject.h"
#include "inject/tracer_process.h"

enum { THREADS_MAX = 256 };

static int parse_threads(PyObject *tuple, pid_t *threads, size_t *n_threads) {
    Py_ssize_t n = PyTuple_Size(tuple);
    if (n < 0) {
        return -1;
    }
    *n_threads = n > THREADS_MAX ? THREADS_MAX : (size_t)n;
    for (size_t i = 0; i < *n_threads; i++) {
        /* borrowed: owned by the tuple */
        threads[i] = (pid_t)PyLong_AsLong(PyTuple_GetItem(tuple, (Py_ssize_t)i));
    }
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *inject(PyObject *self, PyObject *args) {
    struct sg_injection injection = {0};
    struct sg_range ranges[SG_ADDRESS_RANGES_MAX];
    pid_t threads[THREADS_MAX];
    PyObject *thread_tuple, *range_tuple, *meanwhile;
    unsigned long long dlopen_at, dlsym_at, dlerror_at, errno_at, system_call_at, caught, ignored;
    long long timeout_ns;
    Py_ssize_t arguments_size, libpython_size;
    int pid;
    if (!PyArg_ParseTuple(args, "iO!O!(KKKKK)yz#yy#(KK)LO:inject", &pid, &PyTuple_Type,
                          &thread_tuple, &PyTuple_Type, &range_tuple, &dlopen_at, &dlsym_at,
                          &dlerror_at, &errno_at, &system_call_at, &injection.library,
                          &injection.libpython, &libpython_size, &injection.symbol,
                          &injection.arguments, &arguments_size, &caught, &ignored, &timeout_ns,
                          &meanwhile)) {
        return NULL;
    }
    if (parse_threads(thread_tuple, threads, &injection.n_threads) != 0 ||
        sg_address_ranges_parse(range_tuple, ranges, &injection.n_ranges) != 0) {
        return NULL;
    }
    injection.pid = pid;
    injection.threads = threads;
    injection.ranges = ranges;
    injection.dlopen = dlopen_at;
    injection.dlsym = dlsym_at;
    injection.dlerror = dlerror_at;
    injection.errno_location = errno_at;
    injection.system_call = system_call_at;
    injection.arguments_size = (size_t)arguments_size;
    injection.caught_signals = caught;
    injection.ignored_signals = ignored;
    injection.timeout_ns = timeout_ns;

    struct sg_injection_result result = {.status = SG_INJECT_SYSTEM, .text = "tracer"};
    struct sg_tracing *tracing = NULL;
    result.error = sg_tracer_process_begin(&injection, &tracing);
    if (tracing != NULL) {
        PyObject *nothing = PyObject_CallObject(meanwhile, NULL);
        if (nothing == NULL) {
            sg_tracer_process_abandon(tracing);
            return NULL;
        }
        Py_DecRef(nothing);
        Py_BEGIN_ALLOW_THREADS
            sg_tracer_process_finish(tracing, &result);
        Py_END_ALLOW_THREADS
    }
    PyObject *text = PyUnicode_DecodeLocale(result.text, "surrogateescape");
    if (text == NULL) {
        return NULL;
    }
    return Py_BuildValue("iiLiiLLN", result.status, result.error, (long long)result.value,
                         (int)result.thread, result.n_refusals, (long long)result.stop_ns,
                         (long long)result.search_ns, text);
}

static PyObject *list_filters(const struct sg_filters *filters) {
    PyObject *list = PyTuple_New((Py_ssize_t)filters->n);
    const uint64_t *word = filters->words;
    for (size_t i = 0; list != NULL && i < filters->n; word += filters->sizes[i++]) {
        PyObject *filter = PyBytes_FromStringAndSize(
            (const char *)word, (Py_ssize_t)(filters->sizes[i] * sizeof *word));
        if (filter == NULL || PyTuple_SetItem(list, (Py_ssize_t)i, filter) != 0) {
            Py_DecRef(list);
            return NULL;
        }
    }
    return list;
}

static PyObject *read_filters(PyObject *self, PyObject *args) {
    int thread;
    if (!PyArg_ParseTuple(args, "i:read_filters", &thread)) {
        return NULL;
    }
    struct sg_filters *filters = PyMem_Malloc(sizeof *filters);
    if (filters == NULL) {
        return PyErr_NoMemory();
    }
    int error;
    Py_BEGIN_ALLOW_THREADS
        error = sg_tracer_process_read_filters(thread, filters);
    Py_END_ALLOW_THREADS
    PyObject *list = NULL;
    if (error == 0) {
        list = list_filters(filters);
    } else {
        errno = error;
        PyErr_SetFromErrno(PyExc_OSError);
    }
    PyMem_Free(filters);
    return list;
}

PyMethodDef sg_inject_bindings[] = {
    {"inject", inject, METH_VARARGS,
     "Load a library into another process and call its entry (inject/inject.h)."},
    {"read_filters", read_filters, METH_VARARGS,
     "read_filters(thread): return the thread's system call filters, the newest first."},
    {NULL, NULL, 0, NULL},
};
