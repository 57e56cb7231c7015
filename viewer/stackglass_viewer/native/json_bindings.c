/* Items of JSON, as Python sees them. */
#include "bindings.h"
#include "json_items.h"

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

PyMethodDef sg_json_bindings[] = {
    {"find_items_end", find_items_end, METH_VARARGS, "Where items of JSON end."},
    {NULL, NULL, 0, NULL},
};
