/* Labels, and the context variables that hold them, for tests. */
#include "tables.h"

#include <string.h>

#include "interpreter/contextvars.h"
#include "interpreter/interpreters.h"
#include "labels/definitions.h"
#include "labels/labels.h"
#include "labels/variables.h"
#include "platform/memory.h"
#include "tasks/asyncio_offsets.h"
#include "tasks/names.h"
#include "tasks/running.h"
#include "values.h"

static PyObject *prepare_contextvars(PyObject *self, PyObject *args) {
    const char *problem = sg_contextvars_prepare();
    return PyUnicode_FromString(problem ? problem : "");
}

static PyObject *find_contextvar(PyObject *self, PyObject *object) {
    struct sg_contextvar variable;
    uintptr_t value = 0;
    if (!sg_contextvars_identify(object, &variable)) {
        PyErr_SetString(PyExc_TypeError, "not a ContextVar");
        return NULL;
    }
    enum sg_contextvar_result result =
        sg_contextvars_find(PyThreadState_Get(), &variable, sg_memory_read, &value);
    return Py_BuildValue("iK", (int)result,
                         result == SG_CONTEXTVAR_FOUND ? (unsigned long long)value : 0ULL);
}

static PyObject *learn(PyObject *self, PyObject *args) {
    sg_labels_learn();
    return PyBool_FromLong(sg_labels_list() != NULL);
}

static PyObject *forget(PyObject *self, PyObject *args) {
    sg_labels_forget();
    return sg_values_none();
}

static PyObject *read_labels(PyObject *self, PyObject *args) {
    const void *thread = PyThreadState_Get();
    return Py_BuildValue("IIK", sg_labels_of_caller(thread), sg_labels_outside(thread),
                         (unsigned long long)sg_labels_n_unknown());
}

static PyObject *copy_definitions(PyObject *self, PyObject *args) {
    struct sg_label_rows rows = {0};
    unsigned first;
    if (!PyArg_ParseTuple(args, "I", &first))
        return NULL;
    sg_label_definitions_copy(first, &rows);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < rows.n; i++) {
        const struct sg_label *label = &rows.at[i];
        PyObject *row = Py_BuildValue("Iss", label->set, label->key, label->value);
        if (!row || PyList_Append(list, row))
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    PyObject *result = list ? Py_BuildValue("NI", list, rows.end) : NULL;
    sg_label_definitions_free(&rows);
    return result;
}

static PyObject *learn_tasks(PyObject *self, PyObject *args) {
    sg_interpreters_prepare();
    sg_asyncio_offsets_search();
    sg_running_tasks_learn();
    return sg_values_none();
}

static PyObject *forget_tasks(PyObject *self, PyObject *args) {
    sg_running_tasks_forget();
    sg_task_names_discard();
    return sg_values_none();
}

/* The task's name alone, or a list of keys and values; None = no label. */
static PyObject *list_texts(uint32_t label) {
    char text[SG_TASK_NAME_BYTES];
    uint32_t key = 0;
    size_t at = 0;
    PyObject *list = PyList_New(0);
    while (sg_task_names_next(sg_running_task_of_label(label), &at, &key, text)) {
        PyObject *pair = Py_BuildValue("ss", key ? sg_variables_key(key - 1) : "task", text);
        PyList_Append(list, pair);
        Py_XDECREF(pair);
    }
    if (PyList_Size(list) > 1 || key)
        return list;
    PyObject *name = PyList_Size(list) ? PyUnicode_FromString(text) : sg_values_none();
    Py_DECREF(list);
    return name;
}

static PyObject *request_variables(PyObject *self, PyObject *args) {
    const char *text;
    if (!PyArg_ParseTuple(args, "s", &text))
        return NULL;
    sg_variables_request(text, strlen(text));
    return sg_values_none();
}

/* What a handler would read, so often; and what a thread with the GIL reads. */
static PyObject *read_task(PyObject *self, PyObject *args) {
    const void *thread = PyThreadState_Get();
    static struct sg_page_cache pages;
    struct sg_frame frames[64];
    uint32_t label = 0;
    unsigned n_times = 1;
    if (!PyArg_ParseTuple(args, "|I", &n_times))
        return NULL;
    for (unsigned i = 0; i < n_times; i++) {
        struct sg_running_tasks running;
        struct sg_walk walk = {.thread = thread,
                               .pages = &pages,
                               .frames = frames,
                               .capacity = 64,
                               .is_settled = true};
        sg_running_tasks_find_own(thread, &running);
        walk.wanted = &running.wanted;
        sg_frames_walk(&walk);
        label = sg_running_tasks_own_label(thread, &running);
    }
    uint32_t other = sg_running_tasks_label_with_gil(thread);
    return Py_BuildValue("NNK", list_texts(label), list_texts(other),
                         (unsigned long long)sg_running_tasks_n_unknown());
}

static PyObject *limit_tasks(PyObject *self, PyObject *args) {
    unsigned n_names, n_numbered;
    if (!PyArg_ParseTuple(args, "II", &n_names, &n_numbered))
        return NULL;
    sg_task_names_limit(n_names, n_numbered);
    return sg_values_none();
}

PyMethodDef sg_label_bindings[] = {
    {"contextvars_prepare", prepare_contextvars, METH_NOARGS,
     "Why contexts cannot be read; '' = they can."},
    {"contextvars_find", find_contextvar, METH_O,
     "(0 unset, 1 found or 2 unreadable; address of the value)"},
    {"labels_learn", learn, METH_NOARGS, "Look for the label sets: are they known?"},
    {"labels_forget", forget, METH_NOARGS, "Forget the label sets."},
    {"labels_read", read_labels, METH_NOARGS,
     "The caller's set, in place and by copies; unreadable ones."},
    {"tasks_learn", learn_tasks, METH_NOARGS, "Look for asyncio's tasks."},
    {"tasks_forget", forget_tasks, METH_NOARGS, "Forget them, and all names."},
    {"tasks_read", read_task, METH_VARARGS, "The caller's task, twice; how many were unreadable."},
    {"variables_request", request_variables, METH_VARARGS, "Request context variables as labels."},
    {"tasks_limit", limit_tasks, METH_VARARGS, "Keep fewer names; fewer of asyncio's own."},
    {"labels_copy", copy_definitions, METH_VARARGS,
     "([(set, key, value)] from a set on, first set not copied)"},
    {NULL, NULL, 0, NULL},
};
