/* Python bindings of calls and spans over time. */
#include "bindings.h"
#include "calls.h"
#include "spans.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static PyObject *export_calls(PyObject *module, struct sg_calls *calls) {
    PyObject *dict = PyDict_New();
    if (dict && (sg_export_into(module, dict, "parent", &calls->parent, SG_I32) < 0 ||
                 sg_export_into(module, dict, "node", &calls->node, SG_I32) < 0 ||
                 sg_export_into(module, dict, "begin", &calls->begin, SG_I64) < 0 ||
                 sg_export_into(module, dict, "end", &calls->end, SG_I64) < 0 ||
                 sg_export_into(module, dict, "own", &calls->own, SG_I64) < 0))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *list_calls(PyObject *module, PyObject *args) {
    PyObject *objects[5];
    long long gap;
    struct sg_array a[5] = {0};
    struct sg_calls calls = {0};
    if (!PyArg_ParseTuple(args, "OOOOOL:list_calls", &objects[0], &objects[1], &objects[2],
                          &objects[3], &objects[4], &gap))
        return NULL;
    if (sg_view(objects[0], SG_I32, 0, "parent", &a[0]) < 0 ||
        sg_view(objects[1], SG_I32, 0, "depth", &a[1]) < 0 ||
        sg_view(objects[2], SG_I32, 0, "node", &a[2]) < 0 ||
        sg_view(objects[3], SG_I64, 0, "begin", &a[3]) < 0 ||
        sg_view(objects[4], SG_I64, 0, "end", &a[4]) < 0) {
        sg_drop(a, COUNT(a));
        return NULL;
    }
    int result = -1;
    PyThreadState *saved = PyEval_SaveThread();
    if (a[0].n == a[1].n && a[0].n < INT32_MAX && a[2].n == a[3].n && a[2].n == a[4].n &&
        gap >= 0) {
        struct sg_stretches stretches = {
            .parent = a[0].buffer.buf,
            .depth = a[1].buffer.buf,
            .n_nodes = a[0].n,
            .node = a[2].buffer.buf,
            .begin = a[3].buffer.buf,
            .end = a[4].buffer.buf,
            .n = a[2].n,
            .gap = gap,
        };
        result = sg_list_calls(&stretches, &calls);
    }
    PyEval_RestoreThread(saved);
    sg_drop(a, COUNT(a));
    PyObject *dict = NULL;
    if (result == 0)
        dict = export_calls(module, &calls);
    else if (result == -2)
        PyErr_NoMemory();
    else
        PyErr_SetString(PyExc_ValueError, "a reference is out of range, or stretches overlap");
    sg_release(&calls.parent);
    sg_release(&calls.node);
    sg_release(&calls.begin);
    sg_release(&calls.end);
    sg_release(&calls.own);
    return dict;
}

static PyObject *export_nesting(PyObject *module, struct sg_nesting *nesting) {
    PyObject *dict = PyDict_New();
    if (dict && (sg_export_into(module, dict, "parent", &nesting->parent, SG_I32) < 0 ||
                 sg_export_into(module, dict, "frame", &nesting->frame, SG_I32) < 0 ||
                 sg_export_into(module, dict, "node", &nesting->node, SG_I32) < 0 ||
                 sg_export_into(module, dict, "begin", &nesting->begin, SG_F64) < 0 ||
                 sg_export_into(module, dict, "end", &nesting->end, SG_F64) < 0))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *nest_spans(PyObject *module, PyObject *args) {
    PyObject *objects[4];
    Py_ssize_t deepest;
    struct sg_array a[4] = {0};
    struct sg_nesting nesting = {0};
    if (!PyArg_ParseTuple(args, "OOOOn:nest_spans", &objects[0], &objects[1], &objects[2],
                          &objects[3], &deepest))
        return NULL;
    if (sg_view(objects[0], SG_I32, 0, "thread", &a[0]) < 0 ||
        sg_view(objects[1], SG_F64, 0, "begin", &a[1]) < 0 ||
        sg_view(objects[2], SG_F64, 0, "end", &a[2]) < 0 ||
        sg_view(objects[3], SG_I32, 0, "frame", &a[3]) < 0) {
        sg_drop(a, COUNT(a));
        return NULL;
    }
    if (a[0].n != a[1].n || a[0].n != a[2].n || a[0].n != a[3].n || deepest < 1 ||
        deepest > INT32_MAX) {
        sg_drop(a, COUNT(a));
        PyErr_SetString(PyExc_ValueError, "columns differ in length, or no span may be open");
        return NULL;
    }
    struct sg_spans spans = {
        .thread = a[0].buffer.buf,
        .begin = a[1].buffer.buf,
        .end = a[2].buffer.buf,
        .frame = a[3].buffer.buf,
        .n = a[0].n,
        .deepest = (size_t)deepest,
    };
    int result;
    PyThreadState *saved = PyEval_SaveThread();
    result = sg_nest_spans(&spans, &nesting);
    PyEval_RestoreThread(saved);
    sg_drop(a, COUNT(a));
    PyObject *dict = NULL;
    if (result == 0)
        dict = export_nesting(module, &nesting);
    else if (result == -2)
        PyErr_NoMemory();
    else
        PyErr_Format(PyExc_ValueError, "more than %zd spans inside each other", deepest);
    sg_release(&nesting.parent);
    sg_release(&nesting.frame);
    sg_release(&nesting.node);
    sg_release(&nesting.begin);
    sg_release(&nesting.end);
    return dict;
}

PyMethodDef sg_time_bindings[] = {
    {"list_calls", list_calls, METH_VARARGS, "Find the calls of successive stacks."},
    {"nest_spans", nest_spans, METH_VARARGS, "Find the stacks of nested spans."},
    {NULL, NULL, 0, NULL},
};
