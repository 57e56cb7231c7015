/* Functions as Cython, pybind11 and nanobind make them, by the layouts in their headers; and the
 * search for their names, for tests. */
#include "tables.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "frames/function_names.h"
#include "wire/stream.h"
#include "worker/gil_worker.h"

enum { N_RECORDS = 64, RECORD_WORDS = 24, DATA_WORDS = 16 };

/* What is made stays: the records of a process's functions do so, too. Guarded by the GIL. */
static uint64_t records[N_RECORDS][RECORD_WORDS];
static PyMethodDef definitions[N_RECORDS];
static int n_records;

static PyObject *answer(PyObject *self, PyObject *args) { return PyLong_FromLong(42); }

static bool has_room(void) {
    if (n_records < N_RECORDS)
        return true;
    PyErr_SetString(PyExc_MemoryError, "there are too many records");
    return false;
}

/* A PyCFunction with a record for each overload; `definition_word` is where it has the definition.
 */
static PyObject *make_pybind11(PyObject *self, PyObject *args) {
    const char *name;
    PyObject *codes;
    int word, is_record_wrong;
    if (!PyArg_ParseTuple(args, "sO!ip", &name, &PyTuple_Type, &codes, &word, &is_record_wrong))
        return NULL;
    char *kept = strdup(name);
    uint64_t *first = NULL, *last = NULL;
    PyMethodDef *definition = &definitions[n_records];
    for (Py_ssize_t i = 0; i < PyTuple_Size(codes) && has_room(); i++) {
        uint64_t *record = records[n_records++];
        record[0] = (uint64_t)(is_record_wrong ? strdup(name) : kept);
        record[6] = PyLong_AsUnsignedLongLong(PyTuple_GetItem(codes, i));
        if (!first)
            record[word] = (uint64_t)definition;
        if (last)
            last[word + 3] = (uint64_t)record;
        first = first ? first : record;
        last = record;
    }
    if (PyErr_Occurred())
        return NULL;
    *definition = (PyMethodDef){kept, answer, METH_VARARGS, NULL};
    PyObject *capsule = PyCapsule_New(first, NULL, NULL);
    PyObject *function = capsule ? PyCFunction_NewEx(definition, capsule, NULL) : NULL;
    Py_XDECREF(capsule);
    return function;
}

/* ---- nanobind ---- */

struct nb_function {
    PyObject_VAR_HEAD void *vectorcall;
    uint64_t most_arguments;
    uint64_t data[];
};

static PyObject *make_nanobind(PyObject *self, PyObject *args) {
    static PyType_Slot slots[] = {{0, NULL}};
    static PyType_Spec spec = {
        .name = "nanobind.nb_func",
        .basicsize = sizeof(struct nb_function),
        .itemsize = DATA_WORDS * sizeof(uint64_t),
        .flags = Py_TPFLAGS_DEFAULT,
        .slots = slots,
    };
    const char *name;
    unsigned long long code, dispatcher;
    if (!PyArg_ParseTuple(args, "sKK", &name, &code, &dispatcher))
        return NULL;
    PyObject *type = PyType_FromSpec(&spec);
    allocfunc make = type ? (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc) : NULL;
    struct nb_function *function = make ? (void *)make((PyTypeObject *)type, 1) : NULL;
    Py_XDECREF(type);
    if (!function)
        return NULL;
    function->vectorcall = (void *)(uintptr_t)dispatcher;
    function->data[4] = code;
    function->data[9] = (uint64_t)strdup(name);
    return (PyObject *)function;
}

/* ---- Cython ---- */

struct cy_function {
    PyObject_HEAD
    PyMethodDef *definition;
    PyObject *qualname, *code;
};

static PyObject *get_qualname(PyObject *self, void *closure) {
    PyObject *value = ((struct cy_function *)self)->qualname;
    Py_INCREF(value);
    return value;
}

static PyObject *get_code(PyObject *self, void *closure) {
    PyObject *value = ((struct cy_function *)self)->code;
    Py_INCREF(value);
    return value;
}

static PyObject *make_cython(PyObject *self, PyObject *args) {
    static PyGetSetDef getters[] = {
        {"__qualname__", get_qualname, NULL, NULL, NULL},
        {"__code__", get_code, NULL, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyType_Slot slots[] = {{Py_tp_getset, getters}, {0, NULL}};
    static PyType_Spec spec = {
        .name = "_cython_3_1_8.cython_function_or_method",
        .basicsize = sizeof(struct cy_function),
        .flags = Py_TPFLAGS_DEFAULT,
        .slots = slots,
    };
    PyObject *qualname, *code;
    unsigned long long address;
    if (!PyArg_ParseTuple(args, "OOK", &qualname, &code, &address) || !has_room())
        return NULL;
    PyObject *type = PyType_FromSpec(&spec);
    allocfunc make = type ? (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc) : NULL;
    struct cy_function *function = make ? (void *)make((PyTypeObject *)type, 0) : NULL;
    Py_XDECREF(type);
    if (!function)
        return NULL;
    function->definition = &definitions[n_records++];
    *function->definition = (PyMethodDef){"f", (PyCFunction)(uintptr_t)address, 0, NULL};
    Py_INCREF(qualname);
    Py_INCREF(code);
    function->qualname = qualname;
    function->code = code;
    return (PyObject *)function;
}

/* ---- The search ---- */

static PyObject *list_names(void) {
    size_t n;
    const struct sg_function_name *found = sg_function_names_list(&n);
    PyObject *names = PyDict_New();
    for (size_t i = 0; names && i < n; i++) {
        if (!found[i].name)
            continue;
        PyObject *row = Py_BuildValue("(ssi)", found[i].name, found[i].file, (int)found[i].line);
        PyObject *id = PyLong_FromUnsignedLongLong(found[i].code);
        if (!row || !id || PyDict_SetItem(names, id, row))
            Py_CLEAR(names);
        Py_XDECREF(id);
        Py_XDECREF(row);
    }
    return names;
}

static PyObject *find_function_names(PyObject *self, PyObject *args) {
    PyObject *codes;
    long long budget_ns;
    unsigned n_slices = 0;
    if (!PyArg_ParseTuple(args, "O!L", &PyTuple_Type, &codes, &budget_ns))
        return NULL;
    size_t n = (size_t)PyTuple_Size(codes);
    struct sg_function_name *wanted = calloc(n + 1, sizeof *wanted);
    for (size_t i = 0; wanted && i < n; i++)
        wanted[i].code = PyLong_AsUnsignedLongLong(PyTuple_GetItem(codes, (Py_ssize_t)i));
    if (!wanted || PyErr_Occurred() || !sg_function_names_begin(wanted, n)) {
        free(wanted);
        return PyErr_Occurred() ? NULL : PyDict_New();
    }
    free(wanted);
    for (; !sg_function_names_are_done(); n_slices++)
        sg_function_names_continue(budget_ns);
    PyObject *names = list_names();
    sg_function_names_end();
    return names ? Py_BuildValue("(NI)", names, n_slices) : NULL;
}

/* Close the stream while a search is open, then the worker. */
static PyObject *close_while_searching(PyObject *self, PyObject *unused) {
    const struct sg_function_name wanted = {.code = 0x1000};
    struct sg_stream *stream = calloc(1, sizeof *stream);
    if (!stream || !sg_stream_open(stream, 12) || !sg_function_names_begin(&wanted, 1)) {
        free(stream);
        return PyErr_NoMemory();
    }
    sg_stream_close(stream);
    free(stream);
    int is_kept = sg_function_names_are_open();
    sg_gil_worker_close();
    int is_open = sg_function_names_are_open();
    return Py_BuildValue("NN", PyBool_FromLong(is_kept), PyBool_FromLong(is_open));
}

PyMethodDef sg_callable_bindings[] = {
    {"make_pybind11", make_pybind11, METH_VARARGS, NULL},
    {"make_nanobind", make_nanobind, METH_VARARGS, NULL},
    {"make_cython", make_cython, METH_VARARGS, NULL},
    {"find_function_names", find_function_names, METH_VARARGS, NULL},
    {"close_while_searching", close_while_searching, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
