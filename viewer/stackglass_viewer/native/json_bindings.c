/* Items and numbers of JSON, as Python sees them. */
#include "bindings.h"
#include "json_items.h"
#include "json_numbers.h"

static PyObject *find_items_end(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *object;
    Py_ssize_t at, n_bytes;
    struct sg_array content = {0};
    if (!PyArg_ParseTuple(args, "Onn:find_items_end", &object, &at, &n_bytes))
        return NULL;
    if (sg_view(object, SG_BYTES, 0, "content", &content) < 0) {
        sg_drop(&content, 1);
        return NULL;
    }
    if (at < 0 || (size_t)at > content.n || n_bytes < 0) {
        sg_drop(&content, 1);
        PyErr_SetString(PyExc_ValueError, "a place is out of range");
        return NULL;
    }
    size_t end;
    PyThreadState *saved = PyEval_SaveThread();
    end = sg_json_items_end(content.buffer.buf, content.n, (size_t)at, (size_t)n_bytes);
    PyEval_RestoreThread(saved);
    sg_drop(&content, 1);
    return PyLong_FromSize_t(end);
}

typedef enum sg_json_numbers read_numbers(const unsigned char *content, size_t size,
                                          struct sg_vector *column);

static PyObject *read_column(PyObject *module, PyObject *args, read_numbers *read,
                             enum sg_kind kind) {
    PyObject *object;
    Py_ssize_t begin, end;
    struct sg_array content = {0};
    if (!PyArg_ParseTuple(args, "Onn", &object, &begin, &end))
        return NULL;
    if (sg_view(object, SG_BYTES, 0, "content", &content) < 0) {
        sg_drop(&content, 1);
        return NULL;
    }
    if (begin < 0 || begin > end || (size_t)end > content.n) {
        sg_drop(&content, 1);
        PyErr_SetString(PyExc_ValueError, "a place is out of range");
        return NULL;
    }
    struct sg_vector column = {0};
    const unsigned char *bytes = content.buffer.buf;
    enum sg_json_numbers result;
    PyThreadState *saved = PyEval_SaveThread();
    result = read(bytes + begin, (size_t)(end - begin), &column);
    PyEval_RestoreThread(saved);
    sg_drop(&content, 1);
    if (result == SG_JSON_READ)
        return sg_export(module, &column, kind);
    sg_release(&column);
    if (result == SG_JSON_NO_MEMORY)
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *read_rows(PyObject *module, PyObject *args) {
    return read_column(module, args, sg_json_read_rows, SG_I64);
}

static PyObject *read_floats(PyObject *module, PyObject *args) {
    return read_column(module, args, sg_json_read_floats, SG_F64);
}

PyMethodDef sg_json_bindings[] = {
    {"find_items_end", find_items_end, METH_VARARGS, "Where items of JSON end."},
    {"read_json_rows", read_rows, METH_VARARGS, "Whole numbers of a list."},
    {"read_json_floats", read_floats, METH_VARARGS, "Numbers of a list."},
    {NULL, NULL, 0, NULL},
};
