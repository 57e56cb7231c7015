/* Python bindings of call trees and of sums over them. */
#include <stdlib.h>

#include "bindings.h"
#include "call_tree.h"
#include "live_tree.h"
#include "tree_sums.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static PyObject *raise_value(const char *text) {
    PyErr_SetString(PyExc_ValueError, text);
    return NULL;
}

static PyObject *finish(int result, struct sg_array *arrays, size_t n) {
    sg_drop(arrays, n);
    if (result < 0)
        return raise_value("a reference is out of range");
    Py_RETURN_NONE;
}

/* Whether starts ascend from 0 to the number of items, and all items are below `n_targets`. */
static int is_index_valid(const struct sg_array *starts64, const struct sg_array *items,
                          size_t n_targets) {
    const int64_t *start = starts64->buffer.buf;
    const int32_t *item = items->buffer.buf;
    if (starts64->n == 0 || start[0] != 0 || start[starts64->n - 1] != (int64_t)items->n)
        return 0;
    for (size_t i = 1; i < starts64->n; i++)
        if (start[i] < start[i - 1])
            return 0;
    for (size_t i = 0; i < items->n; i++)
        if ((size_t)item[i] >= n_targets)
            return 0;
    return 1;
}

static int are_lines_valid(const struct sg_array *starts, const struct sg_array *frames,
                           size_t n_frames) {
    const int32_t *start = starts->buffer.buf, *frame = frames->buffer.buf;
    if (starts->n == 0 || start[0] != 0 || (size_t)start[starts->n - 1] != frames->n)
        return 0;
    for (size_t i = 1; i < starts->n; i++)
        if (start[i] <= start[i - 1])
            return 0;
    for (size_t i = 0; i < frames->n; i++)
        if ((size_t)frame[i] >= n_frames)
            return 0;
    return 1;
}

static int build(const struct sg_array arrays[4], size_t n_frames, struct sg_call_tree *tree,
                 struct sg_progress *progress) {
    struct sg_stacks stacks = {
        .start = arrays[0].buffer.buf,
        .locations = arrays[1].buffer.buf,
        .n = arrays[0].n - 1,
        .line_start = arrays[2].buffer.buf,
        .line_frame = arrays[3].buffer.buf,
        .n_locations = arrays[2].n - 1,
        .n_frames = n_frames,
    };
    if (!are_lines_valid(&arrays[2], &arrays[3], n_frames) ||
        !is_index_valid(&arrays[0], &arrays[1], stacks.n_locations) || stacks.n >= INT32_MAX)
        return -4;
    return sg_call_tree_build(&stacks, tree, progress);
}

static PyObject *export_tree(PyObject *module, struct sg_call_tree *tree) {
    PyObject *dict = PyDict_New();
    if (dict && (sg_export_into(module, dict, "parent", &tree->parent, SG_I32) < 0 ||
                 sg_export_into(module, dict, "frame", &tree->frame, SG_I32) < 0 ||
                 sg_export_into(module, dict, "depth", &tree->depth, SG_I32) < 0 ||
                 sg_export_into(module, dict, "is_recursive", &tree->is_recursive, SG_BOOL) < 0 ||
                 sg_export_into(module, dict, "sample_node", &tree->sample_node, SG_I32) < 0))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *build_tree(PyObject *module, PyObject *args) {
    PyObject *objects[4], *callable;
    Py_ssize_t n_frames;
    struct sg_array arrays[4] = {0};
    struct sg_python_progress progress;
    struct sg_call_tree tree = {0};
    if (!PyArg_ParseTuple(args, "OOOOnO:build_tree", &objects[0], &objects[1], &objects[2],
                          &objects[3], &n_frames, &callable))
        return NULL;
    if (sg_view(objects[0], SG_I64, 0, "stack_start", &arrays[0]) < 0 ||
        sg_view(objects[1], SG_I32, 0, "stack", &arrays[1]) < 0 ||
        sg_view(objects[2], SG_I32, 0, "line_start", &arrays[2]) < 0 ||
        sg_view(objects[3], SG_I32, 0, "line_frame", &arrays[3]) < 0) {
        sg_drop(arrays, COUNT(arrays));
        return NULL;
    }
    sg_init_progress(&progress, callable);
    sg_release_gil(&progress);
    int result = build(arrays, (size_t)n_frames, &tree, &progress.progress);
    sg_take_gil(&progress);
    sg_drop(arrays, COUNT(arrays));
    PyObject *dict = NULL;
    if (result == 0)
        dict = export_tree(module, &tree);
    else if (result == -1)
        PyErr_SetNone(PyExc_OverflowError);
    else if (result == -2)
        PyErr_NoMemory();
    else if (result == -3 && !PyErr_Occurred())
        PyErr_SetNone(PyExc_InterruptedError);
    else if (result == -4)
        raise_value("a reference is out of range");
    sg_release(&tree.parent);
    sg_release(&tree.frame);
    sg_release(&tree.depth);
    sg_release(&tree.is_recursive);
    sg_release(&tree.sample_node);
    return dict;
}

static PyObject *sum_own(PyObject *module, PyObject *args) {
    PyObject *node, *weight, *own;
    struct sg_array arrays[3] = {0};
    if (!PyArg_ParseTuple(args, "OOO:sum_own", &node, &weight, &own))
        return NULL;
    if (sg_view(node, SG_I32, 0, "node", &arrays[0]) < 0 ||
        sg_view(weight, SG_I64, 0, "weight", &arrays[1]) < 0 ||
        sg_view(own, SG_I64, 1, "own", &arrays[2]) < 0) {
        sg_drop(arrays, COUNT(arrays));
        return NULL;
    }
    int result = -1;
    PyThreadState *saved = PyEval_SaveThread();
    if (arrays[0].n == arrays[1].n)
        result = sg_tree_sums_own(arrays[0].buffer.buf, arrays[1].buffer.buf, arrays[0].n,
                                  arrays[2].buffer.buf, arrays[2].n);
    PyEval_RestoreThread(saved);
    return finish(result, arrays, COUNT(arrays));
}

static PyObject *add_up(PyObject *module, PyObject *args) {
    PyObject *parent, *total;
    struct sg_array arrays[2] = {0};
    if (!PyArg_ParseTuple(args, "OO:add_up", &parent, &total))
        return NULL;
    if (sg_view(parent, SG_I32, 0, "parent", &arrays[0]) < 0 ||
        sg_view(total, SG_I64, 1, "total", &arrays[1]) < 0) {
        sg_drop(arrays, COUNT(arrays));
        return NULL;
    }
    int result = -1;
    PyThreadState *saved = PyEval_SaveThread();
    if (arrays[0].n == arrays[1].n)
        result = sg_tree_sums_add_up(arrays[0].buffer.buf, arrays[1].buffer.buf, arrays[0].n);
    PyEval_RestoreThread(saved);
    return finish(result, arrays, COUNT(arrays));
}

static PyObject *sum_frames(PyObject *module, PyObject *args) {
    PyObject *objects[6];
    struct sg_array a[6] = {0};
    if (!PyArg_ParseTuple(args, "OOOOOO:sum_frames", &objects[0], &objects[1], &objects[2],
                          &objects[3], &objects[4], &objects[5]))
        return NULL;
    if (sg_view(objects[0], SG_I32, 0, "frame", &a[0]) < 0 ||
        sg_view(objects[1], SG_BOOL, 0, "is_recursive", &a[1]) < 0 ||
        sg_view(objects[2], SG_I64, 0, "own", &a[2]) < 0 ||
        sg_view(objects[3], SG_I64, 0, "total", &a[3]) < 0 ||
        sg_view(objects[4], SG_I64, 1, "flat", &a[4]) < 0 ||
        sg_view(objects[5], SG_I64, 1, "cum", &a[5]) < 0) {
        sg_drop(a, COUNT(a));
        return NULL;
    }
    int result = -1;
    PyThreadState *saved = PyEval_SaveThread();
    if (a[0].n == a[1].n && a[0].n == a[2].n && a[0].n == a[3].n && a[4].n == a[5].n)
        result =
            sg_tree_sums_frames(a[0].buffer.buf, a[1].buffer.buf, a[2].buffer.buf, a[3].buffer.buf,
                                a[0].n, a[4].buffer.buf, a[5].buffer.buf, a[4].n);
    PyEval_RestoreThread(saved);
    return finish(result, a, COUNT(a));
}

static PyObject *sum_topmost(PyObject *module, PyObject *args) {
    PyObject *objects[4];
    struct sg_array a[4] = {0};
    if (!PyArg_ParseTuple(args, "OOOO:sum_topmost", &objects[0], &objects[1], &objects[2],
                          &objects[3]))
        return NULL;
    if (sg_view(objects[0], SG_I32, 0, "parent", &a[0]) < 0 ||
        sg_view(objects[1], SG_I32, 0, "frame", &a[1]) < 0 ||
        sg_view(objects[2], SG_BOOL, 0, "is_match", &a[2]) < 0 ||
        sg_view(objects[3], SG_I64, 0, "total", &a[3]) < 0) {
        sg_drop(a, COUNT(a));
        return NULL;
    }
    int result = -1;
    int64_t sum = 0;
    char *is_below = malloc(a[0].n + 1);
    PyThreadState *saved = PyEval_SaveThread();
    if (is_below && a[0].n == a[1].n && a[0].n == a[3].n)
        result = sg_tree_sums_topmost(a[0].buffer.buf, a[1].buffer.buf, a[2].buffer.buf, a[2].n,
                                      a[3].buffer.buf, is_below, a[0].n, &sum);
    PyEval_RestoreThread(saved);
    int has_memory = is_below != NULL;
    free(is_below);
    sg_drop(a, COUNT(a));
    if (!has_memory)
        return PyErr_NoMemory();
    return result < 0 ? raise_value("a reference is out of range") : PyLong_FromLongLong(sum);
}

/* View the columns of a growing tree: parent, frame, depth, is_recursive, which may be None, and
 * slots. Returns 0, or -1 with an error set. */
static int view_growing(PyObject *const objects[5], Py_ssize_t n_nodes, unsigned long long seed,
                        struct sg_array arrays[5], struct sg_live_tree *tree) {
    if (sg_view(objects[0], SG_I32, 1, "parent", &arrays[0]) < 0 ||
        sg_view(objects[1], SG_I32, 1, "frame", &arrays[1]) < 0 ||
        sg_view(objects[2], SG_I32, 1, "depth", &arrays[2]) < 0 ||
        (objects[3] != Py_None &&
         sg_view(objects[3], SG_BOOL, 1, "is_recursive", &arrays[3]) < 0) ||
        sg_view(objects[4], SG_I32, 1, "slots", &arrays[4]) < 0)
        return -1;
    size_t n_slots = arrays[4].n;
    for (int i = 0; i < 4; i++)
        if (n_nodes < 0 || (objects[i] != Py_None && arrays[i].n < (size_t)n_nodes)) {
            PyErr_SetString(PyExc_ValueError, "fewer rows than nodes");
            return -1;
        }
    if (n_slots == 0 || n_slots & (n_slots - 1)) {
        PyErr_SetString(PyExc_ValueError, "slots: their number is not a power of two");
        return -1;
    }
    *tree = (struct sg_live_tree){
        .parent = arrays[0].buffer.buf,
        .frame = arrays[1].buffer.buf,
        .depth = arrays[2].buffer.buf,
        .is_recursive = arrays[3].buffer.buf,
        .n_nodes = (size_t)n_nodes,
        .slots = arrays[4].buffer.buf,
        .n_slots = n_slots,
        .seed = seed,
    };
    return 0;
}

static PyObject *fill_slots(PyObject *module, PyObject *args) {
    PyObject *objects[5];
    Py_ssize_t n_nodes;
    unsigned long long seed;
    struct sg_array arrays[5] = {0};
    struct sg_live_tree tree;
    if (!PyArg_ParseTuple(args, "OOOOOnK:fill_slots", &objects[0], &objects[1], &objects[2],
                          &objects[3], &objects[4], &n_nodes, &seed))
        return NULL;
    if (view_growing(objects, n_nodes, seed, arrays, &tree) < 0) {
        sg_drop(arrays, COUNT(arrays));
        return NULL;
    }
    int result = tree.n_slots > tree.n_nodes ? 0 : -1;
    PyThreadState *saved = PyEval_SaveThread();
    if (result == 0)
        sg_live_tree_fill_slots(&tree);
    PyEval_RestoreThread(saved);
    return finish(result, arrays, COUNT(arrays));
}

static PyObject *grow_tree(PyObject *module, PyObject *args) {
    PyObject *objects[5], *parent, *frame, *node;
    Py_ssize_t n_nodes, first;
    unsigned long long seed;
    struct sg_array a[8] = {0};
    struct sg_live_tree tree;
    if (!PyArg_ParseTuple(args, "OOOOOnKOOOn:grow_tree", &objects[0], &objects[1], &objects[2],
                          &objects[3], &objects[4], &n_nodes, &seed, &parent, &frame, &node,
                          &first))
        return NULL;
    if (view_growing(objects, n_nodes, seed, a, &tree) < 0 ||
        sg_view(parent, SG_I32, 0, "wire_parent", &a[5]) < 0 ||
        sg_view(frame, SG_I32, 0, "wire_frame", &a[6]) < 0 ||
        sg_view(node, SG_I32, 1, "node_of_wire", &a[7]) < 0) {
        sg_drop(a, COUNT(a));
        return NULL;
    }
    size_t n = a[5].n, room = tree.n_nodes + n;
    int result = -1;
    int fits = first >= 0 && a[6].n == n && a[7].n >= (size_t)first + n && tree.n_slots > room &&
               a[0].n >= room && a[1].n >= room && a[2].n >= room &&
               (objects[3] == Py_None || a[3].n >= room);
    PyThreadState *saved = PyEval_SaveThread();
    if (fits)
        result = sg_live_tree_grow(&tree, a[5].buffer.buf, a[6].buffer.buf, n, a[7].buffer.buf,
                                   (size_t)first);
    PyEval_RestoreThread(saved);
    sg_drop(a, COUNT(a));
    if (result < 0)
        return raise_value("a reference is out of range");
    return PyLong_FromSize_t(tree.n_nodes);
}

PyMethodDef sg_tree_bindings[] = {
    {"build_tree", build_tree, METH_VARARGS, "Build the call tree of stacks."},
    {"sum_own", sum_own, METH_VARARGS, "Add weights to nodes."},
    {"add_up", add_up, METH_VARARGS, "Add every node's value to its ancestors'."},
    {"sum_frames", sum_frames, METH_VARARGS, "Add up flat and cum of frames."},
    {"sum_topmost", sum_topmost, METH_VARARGS, "Add up the topmost nodes that match."},
    {"fill_slots", fill_slots, METH_VARARGS, "Enter nodes into an empty hash table."},
    {"grow_tree", grow_tree, METH_VARARGS, "Find or make the nodes of a batch."},
    {NULL, NULL, 0, NULL},
};
