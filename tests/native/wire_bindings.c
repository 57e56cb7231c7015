/* Requests, messages and definitions of the wire, for tests. */
#define PY_SSIZE_T_CLEAN
#include "tables.h"

#include <stdlib.h>
#include <time.h>

#include "interpreter/python_text.h"
#include "platform/encoder.h"
#include "platform/time.h"
#include "wire/clients.h"
#include "wire/intern.h"
#include "wire/native_names.h"
#include "wire/requests.h"

/* A column of unsigned 64-bit integers, which come as the bytes of an array. */
static PyObject *encode_packed(PyObject *self, PyObject *args) {
    unsigned long field;
    const char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "ky#", &field, &bytes, &size))
        return NULL;
    struct sg_buffer buffer = {0};
    sg_encoder_put_packed_u64(&buffer, (uint32_t)field, (const uint64_t *)(const void *)bytes,
                              (size_t)size / sizeof(uint64_t));
    PyObject *result = buffer.failed ? PyErr_NoMemory()
                                     : PyBytes_FromStringAndSize((const char *)buffer.bytes,
                                                                 (Py_ssize_t)buffer.size);
    sg_encoder_buffer_free(&buffer);
    return result;
}

static PyObject *read_request(PyObject *self, PyObject *frame) {
    struct sg_request request = {0};
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(frame, &bytes, &size))
        return NULL;
    long taken = sg_request_read((const uint8_t *)bytes, (size_t)size, &request);
    const struct sg_requested_rates *rates = &request.contention;
    return Py_BuildValue(
        "liKKKi(KKKKKKK)", taken, (int)request.kind, (unsigned long long)request.protocol,
        (unsigned long long)request.cpu_hz, (unsigned long long)request.heap_rate,
        request.is_without_native, (unsigned long long)rates->block_ns,
        (unsigned long long)rates->mutex_fraction, (unsigned long long)rates->gil_hz,
        (unsigned long long)rates->kept, (unsigned long long)rates->is_other,
        (unsigned long long)rates->stall_ns, (unsigned long long)rates->changed);
}

/* One stack of names, root first, as a node. */
static uint32_t climb(struct sg_intern *intern, PyObject *names) {
    uint32_t node = SG_NODE_EMPTY;
    for (Py_ssize_t i = 0; i < PyTuple_Size(names); i++) {
        char *name = sg_python_text_copy(PyTuple_GetItem(names, i));
        uint32_t function = sg_intern_function(intern, name, name, "", 1);
        node = sg_intern_node(intern, node, sg_intern_location(intern, function, 1));
        free(name);
    }
    return node;
}

static PyObject *intern_stacks(PyObject *self, PyObject *args) {
    struct sg_intern intern;
    PyObject *stacks;
    unsigned int string_bytes, n_rows;
    if (!PyArg_ParseTuple(args, "IIO!", &string_bytes, &n_rows, &PyTuple_Type, &stacks))
        return NULL;
    if (!sg_intern_open(&intern))
        return PyErr_NoMemory();
    sg_intern_limit(&intern, string_bytes, n_rows);
    PyObject *nodes = PyList_New(0);
    for (Py_ssize_t i = 0; nodes && i < PyTuple_Size(stacks); i++) {
        PyObject *node = PyLong_FromLong(climb(&intern, PyTuple_GetItem(stacks, i)));
        if (!node || PyList_Append(nodes, node))
            Py_CLEAR(nodes);
        Py_XDECREF(node);
    }
    PyObject *result = nodes ? Py_BuildValue("NIII", nodes, (unsigned)intern.strings.starts.n,
                                             intern.locations.n_rows, intern.nodes.n_rows)
                             : NULL;
    sg_intern_close(&intern);
    return result;
}

/* The rows of (thread, starter, function, name): those of starts, and those of known functions. */
static PyObject *intern_last_rows(PyObject *self, PyObject *rows) {
    struct sg_intern intern;
    unsigned int tid, starter, function;
    const char *name;
    if (!sg_intern_open(&intern))
        return PyErr_NoMemory();
    PyObject *starts = PyList_New(0), *known = PyList_New(0);
    bool is_good = starts && known;
    for (Py_ssize_t i = 0; is_good && i < PyTuple_Size(rows); i++) {
        is_good =
            PyArg_ParseTuple(PyTuple_GetItem(rows, i), "IIIs", &tid, &starter, &function, &name);
        if (is_good) {
            sg_intern_start(&intern, tid, starter, false);
            sg_intern_known(&intern, function, name, "", 1);
        }
    }
    for (uint32_t i = 0; is_good && i < intern.starts.n_rows; i++) {
        PyObject *row =
            Py_BuildValue("II", intern.starts.columns[0][i], intern.starts.columns[1][i]);
        is_good = row && !PyList_Append(starts, row);
        Py_XDECREF(row);
    }
    for (uint32_t i = 0; is_good && i < intern.known.n_rows; i++) {
        PyObject *row = Py_BuildValue("Is", intern.known.columns[0][i],
                                      sg_intern_text(&intern, intern.known.columns[1][i]));
        is_good = row && !PyList_Append(known, row);
        Py_XDECREF(row);
    }
    PyObject *result = is_good ? PyTuple_Pack(2, starts, known) : NULL;
    Py_XDECREF(starts);
    Py_XDECREF(known);
    sg_intern_close(&intern);
    return result;
}

/* The identity of the function at each `pc`, called by the one at `caller`; 0 = by no function of
 * machine code. One cache for all. */
static PyObject *name_native(PyObject *self, PyObject *calls) {
    enum { FUNCTION = 0, IDENTITY = 1 }; /* columns of locations and of functions */
    struct sg_native_names names = {0};
    struct sg_intern intern;
    if (!sg_intern_open(&intern) || !sg_native_names_open(&names))
        return PyErr_NoMemory();
    PyObject *identities = PyList_New(0);
    for (Py_ssize_t i = 0; identities && i < PyTuple_Size(calls); i++) {
        unsigned long long pc, caller_pc;
        uint32_t caller = SG_LOCATION_UNKNOWN;
        if (!PyArg_ParseTuple(PyTuple_GetItem(calls, i), "KK", &pc, &caller_pc)) {
            Py_CLEAR(identities);
            break;
        }
        if (caller_pc)
            caller = sg_native_names_locate(&names, &intern, (uintptr_t)caller_pc, caller);
        uint32_t location = sg_native_names_locate(&names, &intern, (uintptr_t)pc, caller);
        uint32_t function = intern.locations.columns[FUNCTION][location];
        uint32_t identity = intern.functions.columns[IDENTITY][function];
        PyObject *text = PyUnicode_FromString(sg_intern_text(&intern, identity));
        if (!text || PyList_Append(identities, text))
            Py_CLEAR(identities);
        Py_XDECREF(text);
    }
    sg_native_names_close(&names);
    sg_intern_close(&intern);
    return identities;
}

/* Queue so many bytes for a client with this descriptor, which is closed. Is it kept? */
static PyObject *client_flood(PyObject *self, PyObject *args) {
    static struct sg_clients clients; /* guarded by the GIL */
    int descriptor;
    unsigned long long n_bytes;
    if (!PyArg_ParseTuple(args, "iK", &descriptor, &n_bytes))
        return NULL;
    struct sg_client *client = sg_clients_add(&clients, descriptor);
    uint8_t *bytes = calloc(1, n_bytes);
    if (!client || !bytes) {
        free(bytes);
        return PyErr_NoMemory();
    }
    sg_encoder_put_raw(&client->out, bytes, n_bytes);
    free(bytes);
    sg_clients_settle(&clients, (int64_t)sg_time_clock_ns(CLOCK_MONOTONIC));
    size_t n = sg_clients_n_watching(&clients);
    sg_clients_close(&clients);
    return PyBool_FromLong(n != 0);
}

PyMethodDef sg_wire_bindings[] = {
    {"encode_packed", encode_packed, METH_VARARGS, "encode_packed(field, u64s): a packed column."},
    {"read_request", read_request, METH_O, "A client's request, taken apart."},
    {"intern_stacks", intern_stacks, METH_VARARGS, "Stacks of names as nodes."},
    {"intern_last_rows", intern_last_rows, METH_O, "Rows of which a key's last one counts."},
    {"name_native", name_native, METH_O, "((pc, caller's pc), ...): identities of the functions."},
    {"client_flood", client_flood, METH_VARARGS, "(descriptor, n bytes): is the client kept?"},
    {NULL, NULL, 0, NULL},
};
