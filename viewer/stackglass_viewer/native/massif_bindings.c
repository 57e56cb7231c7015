/* Python bindings of the reader of massif's trees. */
#include "bindings.h"
#include "massif_tree.h"

static PyObject *export_tree(PyObject *module, struct sg_massif_tree *tree) {
    PyObject *dict = PyDict_New();
    PyObject *fault = Py_BuildValue("iK", (int)tree->fault, (unsigned long long)tree->fault_value);
    if (dict && (!fault || PyDict_SetItemString(dict, "fault", fault) < 0 ||
                 sg_export_into(module, dict, "frame_start", &tree->frames.start, SG_U32) < 0 ||
                 sg_export_into(module, dict, "frame_length", &tree->frames.length, SG_I32) < 0 ||
                 sg_export_into(module, dict, "stack_start", &tree->stack_start, SG_I64) < 0 ||
                 sg_export_into(module, dict, "stack", &tree->stack, SG_I32) < 0 ||
                 sg_export_into(module, dict, "value", &tree->value, SG_I64) < 0))
        Py_CLEAR(dict);
    Py_XDECREF(fault);
    return dict ? Py_BuildValue("NnL", dict, (Py_ssize_t)tree->at, (long long)tree->number) : NULL;
}

static PyObject *read_tree(PyObject *module, PyObject *args) {
    PyObject *content, *callable, *found = NULL;
    Py_ssize_t at;
    long long number;
    struct sg_array array = {0};
    struct sg_python_progress progress;
    struct sg_massif_tree tree;
    if (!PyArg_ParseTuple(args, "OnLO:read_massif_tree", &content, &at, &number, &callable))
        return NULL;
    if (sg_view(content, SG_BYTES, 0, "content", &array) < 0) {
        sg_drop(&array, 1);
        return NULL;
    }
    if (at < 0 || (size_t)at > array.n) {
        sg_drop(&array, 1);
        PyErr_SetString(PyExc_ValueError, "a place is out of range");
        return NULL;
    }
    sg_init_progress(&progress, callable);
    sg_release_gil(&progress);
    int result = sg_massif_tree_read(&tree, array.buffer.buf, array.n, (size_t)at, number,
                                     &progress.progress);
    sg_take_gil(&progress);
    sg_drop(&array, 1);
    if (result == 0)
        found = export_tree(module, &tree);
    else if (result == -1)
        PyErr_NoMemory();
    else if (!PyErr_Occurred())
        PyErr_SetNone(PyExc_InterruptedError);
    sg_massif_tree_free(&tree);
    return found;
}

PyMethodDef sg_massif_bindings[] = {
    {"read_massif_tree", read_tree, METH_VARARGS, "Read a tree of massif's format."},
    {NULL, NULL, 0, NULL},
};
