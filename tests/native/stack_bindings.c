/* Samples that wait for names (wire/stacks.h), for tests: one step a call. */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "values.h"
#include "wire/stacks.h"

enum { MOST_DEPTH = 16 };

/* Guarded by the GIL. */
static struct sg_intern intern;
static struct sg_stacks stacks;
static PyObject *resolved; /* list of stacks during a call */

/* Append the names of a node's functions, leaf first. */
static void append_names(void *context, uint32_t node, const struct sg_sample *sample) {
    enum { PARENT = 0, LOCATION = 1, FUNCTION = 0, NAME = 0 }; /* columns */
    PyObject *names = PyList_New(0);
    for (; names && node != SG_NODE_EMPTY; node = intern.nodes.columns[PARENT][node]) {
        uint32_t location = intern.nodes.columns[LOCATION][node];
        uint32_t function = intern.locations.columns[FUNCTION][location];
        uint32_t name = intern.functions.columns[NAME][function];
        sg_values_append(&names, PyUnicode_FromString(sg_intern_text(&intern, name)));
    }
    sg_values_append(&resolved, names);
}

static PyObject *give_resolved(void) {
    PyObject *list = resolved;
    resolved = NULL;
    return list;
}

static PyObject *open_stacks(PyObject *self, PyObject *args) {
    if (!sg_intern_open(&intern) || !sg_stacks_open(&stacks, &intern, 12, append_names, NULL))
        return PyErr_NoMemory();
    return sg_values_none();
}

static PyObject *close_stacks(PyObject *self, PyObject *args) {
    sg_stacks_close(&stacks);
    sg_intern_close(&intern);
    return sg_values_none();
}

static PyObject *limit(PyObject *self, PyObject *args) {
    unsigned int n_rows;
    if (!PyArg_ParseTuple(args, "I", &n_rows))
        return NULL;
    sg_intern_limit(&intern, SIZE_MAX, n_rows);
    return sg_values_none();
}

static PyObject *add(PyObject *self, PyObject *ids) {
    struct sg_frame frames[MOST_DEPTH];
    Py_ssize_t depth = PyTuple_Size(ids);
    if (depth < 0)
        return NULL;
    depth = depth < MOST_DEPTH ? depth : MOST_DEPTH;
    for (Py_ssize_t i = 0; i < depth; i++)
        frames[i] = (struct sg_frame){(sg_code_id)PyLong_AsLong(PyTuple_GetItem(ids, i)), 0};
    const struct sg_sample sample = {.count = 1, .depth = (uint32_t)depth, .frames = frames};
    resolved = PyList_New(0);
    sg_stacks_add(&stacks, &sample);
    return give_resolved();
}

static PyObject *retry(PyObject *self, PyObject *args) {
    resolved = PyList_New(0);
    sg_stacks_retry(&stacks, false);
    return give_resolved();
}

static PyObject *take(PyObject *self, PyObject *args) {
    sg_code_id id;
    PyObject *ids = PyList_New(0);
    while (sg_stacks_take_requested(&stacks, &id, 1))
        sg_values_append(&ids, PyLong_FromUnsignedLong(id));
    return ids;
}

static PyObject *request_again(PyObject *self, PyObject *args) {
    unsigned int id;
    if (!PyArg_ParseTuple(args, "I", &id))
        return NULL;
    sg_stacks_request_again(&stacks, id);
    return sg_values_none();
}

static PyObject *learn(PyObject *self, PyObject *args) {
    static const struct sg_paths NO_PATHS;
    unsigned int id;
    const char *name;
    int is_dead = 0;
    if (!PyArg_ParseTuple(args, "Is|p", &id, &name, &is_dead))
        return NULL;
    struct sg_code_info info = {
        .name = strdup(name), .qualname = strdup(name), .filename = strdup("")};
    sg_stacks_learn(&stacks, id, &info, &NO_PATHS, is_dead);
    return sg_values_none();
}

static PyObject *give_up(PyObject *self, PyObject *args) {
    unsigned int id;
    if (!PyArg_ParseTuple(args, "I", &id))
        return NULL;
    sg_stacks_give_up(&stacks, id);
    return sg_values_none();
}

static PyObject *end_drain(PyObject *self, PyObject *args) {
    sg_stacks_end_drain(&stacks);
    return PyLong_FromSize_t(stacks.n_codes);
}

PyMethodDef sg_stack_bindings[] = {
    {"stacks_open", open_stacks, METH_NOARGS, "Make the tables."},
    {"stacks_close", close_stacks, METH_NOARGS, "Free them."},
    {"stacks_limit", limit, METH_VARARGS, "(n_rows): room of the tables of functions …"},
    {"stacks_add", add, METH_O, "(id, …), leaf first: a sample. The stacks that have names."},
    {"stacks_retry", retry, METH_NOARGS, "The stacks that have names now."},
    {"stacks_take", take, METH_NOARGS, "The requested ids."},
    {"stacks_request_again", request_again, METH_VARARGS, "(id): it could not be looked up."},
    {"stacks_learn", learn, METH_VARARGS, "(id, name, is_dead=False)"},
    {"stacks_give_up", give_up, METH_VARARGS, "(id): no job has found it."},
    {"stacks_end_drain", end_drain, METH_NOARGS, "How many ids are known or requested."},
    {NULL, NULL, 0, NULL},
};
