/* The Python face of injection: enter a process, and the pure rules behind it, for tests. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <string.h>

#include "bindings/method_tables.h"
#include "inject/filters.h"
#include "inject/inject.h"
#include "inject/machines.h"
#include "inject/rules.h"
#include "inject/tracer_process.h"

enum { THREADS_MAX = 256, RANGES_MAX = 64 };

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

/* ((start, end, may_wait), …) */
static int parse_ranges(PyObject *tuple, struct sg_range *ranges, size_t *n_ranges) {
    Py_ssize_t n = PyTuple_Size(tuple);
    if (n < 0) {
        return -1;
    }
    if (n > RANGES_MAX) {
        PyErr_SetString(PyExc_ValueError, "too many ranges");
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        unsigned long long start, end;
        int may_wait;
        if (!PyArg_ParseTuple(PyTuple_GetItem(tuple, i), "KKp", &start, &end, &may_wait)) {
            return -1;
        }
        ranges[i] = (struct sg_range){start, end, may_wait != 0};
    }
    *n_ranges = (size_t)n;
    return 0;
}

static PyObject *face_inject(PyObject *self, PyObject *args) {
    struct sg_injection injection = {0};
    struct sg_range ranges[RANGES_MAX];
    pid_t threads[THREADS_MAX];
    PyObject *thread_tuple, *range_tuple;
    unsigned long long dlopen_at, dlsym_at, dlerror_at, errno_at, system_call_at, caught;
    long long timeout_ns;
    Py_ssize_t arguments_size, libpython_size;
    int pid;
    if (!PyArg_ParseTuple(args, "iO!O!(KKKKK)yz#yy#KL:inject", &pid, &PyTuple_Type, &thread_tuple,
                          &PyTuple_Type, &range_tuple, &dlopen_at, &dlsym_at, &dlerror_at,
                          &errno_at, &system_call_at, &injection.library, &injection.libpython,
                          &libpython_size, &injection.symbol, &injection.arguments, &arguments_size,
                          &caught, &timeout_ns)) {
        return NULL;
    }
    if (parse_threads(thread_tuple, threads, &injection.n_threads) != 0 ||
        parse_ranges(range_tuple, ranges, &injection.n_ranges) != 0) {
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
    injection.timeout_ns = timeout_ns;

    struct sg_injection_result result;
    Py_BEGIN_ALLOW_THREADS
        sg_tracer_process_inject(&injection, &result);
    Py_END_ALLOW_THREADS
    PyObject *text = PyUnicode_DecodeLocale(result.text, "surrogateescape");
    if (text == NULL) {
        return NULL;
    }
    return Py_BuildValue("iiLiiLLN", result.status, result.error, (long long)result.value,
                         (int)result.thread, result.n_refusals, (long long)result.stop_ns,
                         (long long)result.search_ns, text);
}

static const struct sg_machine *find_machine(const char *name, Py_ssize_t registers_size) {
    const struct sg_machine *machine = sg_machines_find(name);
    if (machine == NULL) {
        PyErr_Format(PyExc_ValueError, "no such machine: %s", name);
        return NULL;
    }
    if ((size_t)registers_size != machine->registers_size) {
        PyErr_Format(PyExc_ValueError, "%s has %zd bytes of registers", name,
                     (Py_ssize_t)machine->registers_size);
        return NULL;
    }
    return machine;
}

static PyObject *face_may_inject(PyObject *self, PyObject *args) {
    const char *name, *registers, *code;
    Py_ssize_t registers_size, code_size;
    PyObject *range_tuple;
    struct sg_range ranges[RANGES_MAX];
    size_t n_ranges;
    if (!PyArg_ParseTuple(args, "sy#y#O!:may_inject", &name, &registers, &registers_size, &code,
                          &code_size, &PyTuple_Type, &range_tuple)) {
        return NULL;
    }
    const struct sg_machine *machine = find_machine(name, registers_size);
    if (machine == NULL || parse_ranges(range_tuple, ranges, &n_ranges) != 0) {
        return NULL;
    }
    if ((size_t)code_size != 2 * machine->system_call_instruction_size) {
        PyErr_SetString(PyExc_ValueError, "code must hold two instructions' room");
        return NULL;
    }
    return PyBool_FromLong(
        sg_rules_may_inject(machine, registers, (const uint8_t *)code, ranges, n_ranges));
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

static PyObject *face_read_filters(PyObject *self, PyObject *args) {
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

static PyObject *face_call_registers(PyObject *self, PyObject *args) {
    const char *name, *registers;
    Py_ssize_t size;
    unsigned long long function, first, second, stack_top;
    if (!PyArg_ParseTuple(args, "sy#KKKK:call_registers", &name, &registers, &size, &function,
                          &first, &second, &stack_top)) {
        return NULL;
    }
    const struct sg_machine *machine = find_machine(name, size);
    if (machine == NULL) {
        return NULL;
    }
    uint8_t changed[SG_REGISTERS_MAX];
    const uint64_t arguments[] = {first, second};
    memcpy(changed, registers, (size_t)size);
    unsigned long long slot =
        sg_machine_prepare_call(machine, changed, function, arguments, 2, stack_top);
    return Py_BuildValue("y#K", (const char *)changed, size, slot);
}

static PyObject *face_system_call_registers(PyObject *self, PyObject *args) {
    const char *name, *registers;
    Py_ssize_t size;
    unsigned long long address, first;
    long number;
    if (!PyArg_ParseTuple(args, "sy#KlK:system_call_registers", &name, &registers, &size, &address,
                          &number, &first)) {
        return NULL;
    }
    const struct sg_machine *machine = find_machine(name, size);
    if (machine == NULL) {
        return NULL;
    }
    uint8_t changed[SG_REGISTERS_MAX];
    const uint64_t arguments[SG_ARGUMENTS_MAX] = {first, 1, 2, 3, 4, 5};
    memcpy(changed, registers, (size_t)size);
    sg_machine_prepare_system_call(machine, changed, address, number, arguments);
    return PyBytes_FromStringAndSize((const char *)changed, size);
}

PyMethodDef sg_inject_bindings[] = {
    {"inject", face_inject, METH_VARARGS, "Load a library into a process and call its entry."},
    {"read_filters", face_read_filters, METH_VARARGS, "A thread's system call filters."},
    {"may_inject", face_may_inject, METH_VARARGS, "May a thread with these registers be used?"},
    {"call_registers", face_call_registers, METH_VARARGS, "Registers that make a call happen."},
    {"system_call_registers", face_system_call_registers, METH_VARARGS,
     "Registers that make a system call happen."},
    {NULL, NULL, 0, NULL},
};
