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

static int run(void *out, const unsigned char *text, size_t size, size_t at, int64_t number,
               struct sg_progress *progress) {
    return sg_massif_tree_read(out, text, size, at, number, progress);
}

static PyObject *read_tree(PyObject *module, PyObject *args) {
    struct sg_massif_tree tree = {0};
    PyObject *found = NULL;
    if (sg_read_from(args, "OnLO:read_massif_tree", run, &tree) == 0)
        found = export_tree(module, &tree);
    sg_massif_tree_free(&tree);
    return found;
}

PyMethodDef sg_massif_bindings[] = {
    {"read_massif_tree", read_tree, METH_VARARGS, "Read a tree of massif's format."},
    {NULL, NULL, 0, NULL},
};
