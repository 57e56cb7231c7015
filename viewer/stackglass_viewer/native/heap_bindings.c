/* Python bindings of the scaling of heap samples. */
#include "bindings.h"
#include "heap_estimates.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static PyObject *unsample(PyObject *module, PyObject *args) {
    static const struct {
        enum sg_kind kind;
        int is_writable;
        const char *name;
    } columns[] = {
        {SG_I64, 0, "objects"},        {SG_I64, 0, "bytes"},        {SG_U64, 0, "rate"},
        {SG_I64, 1, "scaled_objects"}, {SG_I64, 1, "scaled_bytes"},
    };
    PyObject *objects[COUNT(columns)];
    struct sg_array arrays[COUNT(columns)] = {0};
    if (!PyArg_ParseTuple(args, "OOOOO:unsample", &objects[0], &objects[1], &objects[2],
                          &objects[3], &objects[4]))
        return NULL;
    int is_fitting = 1;
    for (size_t i = 0; i < COUNT(columns) && is_fitting; i++) {
        is_fitting = sg_view(objects[i], columns[i].kind, columns[i].is_writable, columns[i].name,
                             &arrays[i]) == 0;
        if (is_fitting && arrays[i].n != arrays[0].n) {
            PyErr_SetString(PyExc_ValueError, "columns differ in length");
            is_fitting = 0;
        }
    }
    if (is_fitting) {
        PyThreadState *state = PyEval_SaveThread();
        sg_heap_estimates_scale(arrays[0].buffer.buf, arrays[1].buffer.buf, arrays[2].buffer.buf,
                                arrays[0].n, arrays[3].buffer.buf, arrays[4].buffer.buf);
        PyEval_RestoreThread(state);
    }
    sg_drop(arrays, COUNT(arrays));
    if (!is_fitting)
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef sg_heap_bindings[] = {
    {"unsample", unsample, METH_VARARGS, "Scale sampled heap rows to estimates."},
    {NULL, NULL, 0, NULL},
};
