/* Python bindings of the decoder of event blocks and of LZ4. */
#include <stdlib.h>

#include "bindings.h"
#include "event_block.h"
#include "lz4_unpack.h"

static PyObject *raise(int result, const char *error) {
    if (result == -2)
        return PyErr_NoMemory();
    PyErr_SetString(PyExc_ValueError, error);
    return NULL;
}

static PyObject *export_events(PyObject *module, struct sg_event_columns *columns) {
    PyObject *dict = PyDict_New();
#define EXPORT(name, type, kind)                                                                   \
    if (dict && sg_export_into(module, dict, #name, &columns->name, kind) < 0)                     \
        Py_CLEAR(dict);
    SG_BLOCK_COLUMNS(EXPORT)
#undef EXPORT
    return dict;
}

static PyObject *decode_event_block(PyObject *module, PyObject *args) {
    Py_buffer payload;
    unsigned packing;
    Py_ssize_t raw_size;
    struct sg_event_columns columns = {0};
    const char *error;
    if (!PyArg_ParseTuple(args, "y*In:decode_event_block", &payload, &packing, &raw_size))
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    int result =
        sg_decode_event_block(payload.buf, (size_t)payload.len, packing,
                              raw_size < 0 ? SIZE_MAX : (size_t)raw_size, &columns, &error);
    PyEval_RestoreThread(state);
    PyBuffer_Release(&payload);
    PyObject *events = result < 0 ? raise(result, error) : export_events(module, &columns);
    sg_release_event_columns(&columns);
    return events;
}

static PyObject *unpack_lz4(PyObject *module, PyObject *args) {
    Py_buffer packed;
    Py_ssize_t raw_size;
    if (!PyArg_ParseTuple(args, "y*n:unpack_lz4", &packed, &raw_size))
        return NULL;
    PyObject *raw = NULL;
    if (raw_size < 0 || raw_size > SG_BLOCK_MOST_BYTES)
        PyErr_SetString(PyExc_ValueError, "a chunk claims more than 16 MiB");
    else
        raw = PyBytes_FromStringAndSize(NULL, raw_size);
    if (raw) {
        uint8_t *bytes = (uint8_t *)(void *)PyBytes_AsString(raw);
        PyThreadState *state = PyEval_SaveThread();
        bool is_unpacked = sg_lz4_unpack(packed.buf, (size_t)packed.len, bytes, (size_t)raw_size);
        PyEval_RestoreThread(state);
        if (!is_unpacked) {
            Py_CLEAR(raw);
            PyErr_SetString(PyExc_ValueError, "a chunk cannot be unpacked");
        }
    }
    PyBuffer_Release(&packed);
    return raw;
}

PyMethodDef sg_event_bindings[] = {
    {"decode_event_block", decode_event_block, METH_VARARGS, "Decode a block of a memory trace."},
    {"unpack_lz4", unpack_lz4, METH_VARARGS, "Unpack an LZ4 block."},
    {NULL, NULL, 0, NULL},
};
