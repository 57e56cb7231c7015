/* The hooks of asyncio, for tests. */
#include "tables.h"

#include "asyncio/callers.h"
#include "asyncio/hooks.h"
#include "asyncio/stalls.h"
#include "asyncio/waits.h"
#include "platform/time.h"
#include "values.h"

static PyObject *open_hooks(PyObject *self, PyObject *args) {
    sg_asyncio_hooks_open();
    return sg_values_none();
}

static PyObject *close_hooks(PyObject *self, PyObject *args) {
    sg_asyncio_hooks_close();
    return sg_values_none();
}

static PyObject *after_fork(PyObject *self, PyObject *args) {
    sg_asyncio_hooks_after_fork_in_child();
    return sg_values_none();
}

static PyObject *are_due(PyObject *self, PyObject *args) {
    return PyBool_FromLong(sg_asyncio_hooks_are_due(sg_time_mono_ns()));
}

static PyObject *maintain(PyObject *self, PyObject *args) {
    sg_asyncio_hooks_maintain();
    return PyBool_FromLong(sg_asyncio_hooks_are_on());
}

static PyObject *check(PyObject *self, PyObject *args) {
    char replaced[128];
    sg_asyncio_hooks_check();
    sg_asyncio_callers_describe_replaced(replaced, sizeof replaced);
    return PyUnicode_FromString(replaced);
}

static PyObject *waits(PyObject *self, PyObject *args) {
    return PyLong_FromUnsignedLong(sg_asyncio_waits_count);
}

/* Callbacks that have begun, by number. */
enum { MOST_CALLBACKS = 16 };
static struct sg_asyncio_callback callbacks[MOST_CALLBACKS];
static unsigned int n_callbacks;

static PyObject *begin_stall(PyObject *self, PyObject *args) {
    if (n_callbacks == MOST_CALLBACKS) {
        PyErr_SetString(PyExc_ValueError, "too many callbacks");
        return NULL;
    }
    callbacks[n_callbacks] = sg_asyncio_stalls_begin();
    return PyLong_FromUnsignedLong(n_callbacks++);
}

static PyObject *end_stall(PyObject *self, PyObject *args) {
    unsigned int number;
    if (!PyArg_ParseTuple(args, "I", &number))
        return NULL;
    sg_asyncio_stalls_end(&callbacks[number % MOST_CALLBACKS]);
    return sg_values_none();
}

static PyObject *sample_stalls(PyObject *self, PyObject *args) {
    sg_asyncio_stalls_sample();
    return sg_values_none();
}

PyMethodDef sg_asyncio_bindings[] = {
    {"asyncio_open", open_hooks, METH_NOARGS, "From now on asyncio_maintain may put hooks on."},
    {"asyncio_close", close_hooks, METH_NOARGS, "Take them off."},
    {"asyncio_after_fork", after_fork, METH_NOARGS, "In a forked child."},
    {"asyncio_are_due", are_due, METH_NOARGS, "Is there anything for asyncio_maintain to do?"},
    {"asyncio_maintain", maintain, METH_NOARGS, "Hooks on or off, stalls; whether they are on."},
    {"asyncio_check", check, METH_NOARGS,
     "What of asyncio the program has replaced; empty = none."},
    {"asyncio_begin_stall", begin_stall, METH_NOARGS, "A callback begins: its number."},
    {"asyncio_end_stall", end_stall, METH_VARARGS, "asyncio_end_stall(number)"},
    {"asyncio_sample_stalls", sample_stalls, METH_NOARGS, "Take the stacks that are due."},
    {"asyncio_waits", waits, METH_NOARGS, "How many tasks wait."},
    {NULL, NULL, 0, NULL},
};
