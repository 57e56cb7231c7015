/* Hooks of locks, and the snapshot of threads that wait, for tests. */
#define PY_SSIZE_T_CLEAN
#include "tables.h"

#include "frames/primitives.h"
#include "locks/blocking_calls.h"
#include "locks/hooks.h"
#include "locks/state.h"
#include "locks/table.h"
#include "platform/futex_sleepers.h"
#include "values.h"
#include "waits/snapshot.h"
#include "waits/waiters.h"

static PyObject *install(PyObject *self, PyObject *args) {
    bool is_new = !sg_lock_hooks_are_installed();
    const char *problem = sg_lock_hooks_install();
    if (!problem && is_new)
        sg_waits_snapshot_prepare();
    return sg_values_text(problem);
}

static PyObject *remove_hooks(PyObject *self, PyObject *args) {
    sg_waits_snapshot_unprepare();
    sg_lock_hooks_remove();
    return sg_values_none();
}

static PyObject *learn(PyObject *self, PyObject *args) {
    sg_lock_hooks_learn();
    return sg_values_none();
}

static PyObject *after_fork(PyObject *self, PyObject *args) {
    sg_lock_hooks_after_fork_in_child();
    return sg_values_none();
}

static PyObject *source(PyObject *self, PyObject *args) {
    return PyUnicode_FromString(sg_lock_hooks_source());
}

static PyObject *forget_words(PyObject *self, PyObject *args) {
    sg_lock_state_forget();
    return sg_values_none();
}

static PyObject *install_other(PyObject *self, PyObject *args) {
    sg_blocking_calls_request(true);
    sg_blocking_calls_maintain();
    return sg_values_none();
}

static PyObject *remove_other(PyObject *self, PyObject *args) {
    sg_blocking_calls_request(false);
    sg_blocking_calls_maintain();
    return sg_values_none();
}

static PyObject *holder(PyObject *self, PyObject *lock) {
    return PyLong_FromLong(sg_lock_table_holder(lock));
}

enum { MOST_WAITERS = 512 };

struct waiters {
    struct sg_lock_waiter all[MOST_WAITERS];
    size_t n;
};

static void keep(void *context, uint32_t entry, const struct sg_lock_wait *wait) {
    struct waiters *waiters = context;
    struct sg_wait_target waited;
    if (waiters->n == MOST_WAITERS)
        return;
    struct sg_lock_waiter *waiter = &waiters->all[waiters->n++];
    *waiter = sg_waiters_describe(wait, &waited);
    waiter->holder = sg_lock_holders_find(waiter->object, waiter->primitive, wait->holder);
}

static PyObject *waits(PyObject *self, PyObject *args) {
    struct waiters waiters = {.n = 0};
    PyObject *list = PyList_New(0);
    sg_lock_waits_visit(keep, &waiters);
    for (size_t i = 0; i < waiters.n; i++) {
        const struct sg_lock_waiter *waiter = &waiters.all[i];
        sg_values_append(&list,
                         Py_BuildValue("(isILi)", (int)waiter->tid,
                                       sg_primitive_name(waiter->primitive), waiter->lock,
                                       (long long)waiter->since_mono_ns, (int)waiter->holder.tid));
    }
    return list;
}

static void append_looked(void *context, const struct sg_lock_waiter *waiter) {
    sg_values_append(context,
                     Py_BuildValue("(isILii)", (int)waiter->tid,
                                   sg_primitive_name(waiter->primitive), waiter->lock,
                                   (long long)waiter->since_mono_ns, (int)waiter->holder.tid,
                                   (int)(waiter->holder.source == SG_HOLDER_INSIDE)));
}

static PyObject *begin_look(PyObject *self, PyObject *args) {
    sg_waits_snapshot_begin();
    return sg_values_none();
}

/* Make the next slice of a snapshot; with a budget of 0 a slice describes one thread or wait. */
static PyObject *go_on_looking(PyObject *self, PyObject *args) {
    long long budget_ns;
    if (!PyArg_ParseTuple(args, "L", &budget_ns))
        return NULL;
    if (!sg_waits_snapshot_continue(budget_ns))
        return sg_values_none();
    PyObject *list = PyList_New(0);
    sg_waits_snapshot_publish(append_looked, NULL, &list);
    sg_waits_snapshot_end();
    return list;
}

static struct sg_rest noted_rest; /* guarded by the GIL */

static PyObject *note_rest(PyObject *self, PyObject *tid) {
    bool is_asleep = sg_futex_sleepers_read_rest((pid_t)PyLong_AsLong(tid), &noted_rest);
    return Py_BuildValue("(ii)", (int)is_asleep, (int)noted_rest.is_timed);
}

static PyObject *rests_yet(PyObject *self, PyObject *tid) {
    struct sg_rest rest;
    bool is_asleep = sg_futex_sleepers_read_rest((pid_t)PyLong_AsLong(tid), &rest);
    return PyBool_FromLong(is_asleep && sg_futex_sleepers_rest_equals(&rest, &noted_rest));
}

PyMethodDef sg_lock_bindings[] = {
    {"lock_install", install, METH_NOARGS, "Patch the methods of locks: None, or why not."},
    {"lock_remove", remove_hooks, METH_NOARGS, "Restore the methods of locks."},
    {"lock_learn", learn, METH_NOARGS, "Patch types whose modules were loaded meanwhile."},
    {"lock_after_fork", after_fork, METH_NOARGS, "Call sg_lock_hooks_after_fork_in_child."},
    {"lock_source", source, METH_NOARGS, "How a free lock is recognised; '' = not installed."},
    {"lock_forget_words", forget_words, METH_NOARGS,
     "Try each lock without blocking first, until the next install."},
    {"lock_holder", holder, METH_O, "tid of the thread that took a lock last; 0 = not known."},
    {"lock_waits", waits, METH_NOARGS, "[(tid, primitive, lock, since, holder)]"},
    {"lock_look_begin", begin_look, METH_NOARGS, "Begin a snapshot of waiters and holders."},
    {"lock_look_go_on", go_on_looking, METH_VARARGS,
     "(budget in ns): None, or in the end [(tid, primitive, lock, since, holder, is inside)]."},
    {"lock_note_rest", note_rest, METH_O,
     "(tid): note the thread's rest: (is it asleep, with a timeout?)"},
    {"lock_rests_yet", rests_yet, METH_O, "(tid): has the thread not run since lock_note_rest?"},
    {"other_waits_install", install_other, METH_NOARGS, "Patch other calls that block."},
    {"other_waits_remove", remove_other, METH_NOARGS, "Restore them."},
    {NULL, NULL, 0, NULL},
};
