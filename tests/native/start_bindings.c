/* Bindings of starts of threads, forks and their warning, step by step. */
#include <Python.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/after_fork.h"
#include "agent/lifecycle.h"
#include "platform/engine_thread.h"
#include "platform/fork_gate.h"
#include "platform/futex.h"
#include "platform/gate.h"
#include "tables.h"
#include "threads/births.h"
#include "threads/creations.h"
#include "threads/started_thread.h"
#include "threads/task_creations.h"
#include "values.h"
#include "worker/fork_warning.h"
#include "worker/gil_access.h"
#include "worker/gil_handover.h"

/* ---- Starts of threads, while the engine leaves ---- */

static PyObject *creations_open(PyObject *self, PyObject *args) {
    sg_creations_open();
    return sg_values_none();
}

static PyObject *creations_close(PyObject *self, PyObject *args) {
    sg_creations_close();
    return sg_values_none();
}

static PyObject *creations_record(PyObject *self, PyObject *result) {
    sg_creations_record(NULL, result);
    return sg_values_none();
}

static PyObject *creations_take(PyObject *self, PyObject *args) {
    long n = 0;
    for (struct sg_creation *creation = sg_creations_take(), *next; creation;
         creation = next, n++) {
        next = creation->next;
        free(creation);
    }
    return PyLong_FromLong(n);
}

/* How many threads were listed as there before. */
static PyObject *creations_before(PyObject *self, PyObject *args) {
    size_t n;
    sg_creations_before(&n);
    return PyLong_FromSize_t(n);
}

static PyObject *births_are_due(PyObject *self, PyObject *now_ns) {
    return PyBool_FromLong(sg_births_are_due(PyLong_AsLongLong(now_ns)));
}

/* The tids of the followed threads that have begun, newest first. */
static PyObject *creations_look(PyObject *self, PyObject *args) {
    PyObject *tids = PyList_New(0);
    sg_creations_look();
    for (struct sg_creation *creation = sg_creations_take(), *next; creation; creation = next) {
        PyObject *tid = PyLong_FromLong(creation->tid);
        next = creation->next;
        if (tids && tid)
            PyList_Append(tids, tid);
        Py_XDECREF(tid);
        free(creation);
    }
    return tids;
}

/* The name of the Thread whose method it is, as the hook reads it: while creations are open. */
static PyObject *started_thread_name(PyObject *self, PyObject *function) {
    char text[SG_TEXT_COPY_BYTES];
    sg_started_thread_name(function, text);
    return PyUnicode_FromString(text);
}

/* As a thread that is in the hook, and is not run. */
static PyObject *creations_enter(PyObject *self, PyObject *args) {
    return PyBool_FromLong(sg_gate_enter(SG_GATE_CREATIONS));
}

static PyObject *creations_leave(PyObject *self, PyObject *args) {
    sg_gate_leave(SG_GATE_CREATIONS);
    return sg_values_none();
}

/* ---- Creations of tasks ---- */

static PyObject *task_creations_open(PyObject *self, PyObject *args) {
    sg_task_creations_open();
    return sg_values_none();
}

static PyObject *task_creations_close(PyObject *self, PyObject *args) {
    sg_task_creations_close();
    return sg_values_none();
}

static PyObject *task_creations_after_fork(PyObject *self, PyObject *args) {
    sg_task_creations_after_fork_in_child();
    return sg_values_none();
}

/* (frames, creator, is_older) of a task. */
static PyObject *task_creations_find(PyObject *self, PyObject *task) {
    struct sg_frame frames[SG_MOST_CREATION_FRAMES];
    struct sg_task_creation found = sg_task_creations_find(task);
    uint32_t depth = sg_task_creations_copy_stack(found.stack, frames, SG_MOST_CREATION_FRAMES);
    return Py_BuildValue("NiN", sg_values_frames(frames, depth), (int)found.creator,
                         PyBool_FromLong(found.is_older));
}

/* ---- The warning of forks ---- */

static int64_t first_thread_ns; /* written before it starts */

static void sleep_for_a_time(void) { sg_futex_sleep_ns(first_thread_ns); }

static void do_nothing(void) {}

/* (ns): an engine's first thread, which ends after so long. */
static PyObject *first_thread_start(PyObject *self, PyObject *ns) {
    const struct sg_first_thread first = {sleep_for_a_time, do_nothing, -1, 1 << 20};
    first_thread_ns = PyLong_AsLongLong(ns);
    return PyLong_FromLong(sg_engine_thread_start_first(&first));
}

static void end_at_once(void) {}

static long count_threads(void) {
    struct stat task;
    return stat("/proc/self/task", &task) ? -1 : (long)task.st_nlink - 2;
}

/* (n): how many of n engine threads the system still counted when they had been joined. */
static PyObject *joined_threads_counted(PyObject *self, PyObject *n) {
    long n_joins = PyLong_AsLong(n), n_counted = 0, n_before = count_threads();
    for (long i = 0; i < n_joins; i++) {
        struct sg_engine_thread started;
        if (sg_engine_thread_start(&started, end_at_once, 128 * 1024))
            return PyErr_SetFromErrno(PyExc_OSError);
        sg_engine_thread_join(&started);
        n_counted += count_threads() != n_before;
    }
    return PyLong_FromLong(n_counted);
}

static PyObject *fork_warning_open(PyObject *self, PyObject *args) {
    sg_fork_warning_open();
    return sg_values_none();
}

static PyObject *fork_warning_maintain(PyObject *self, PyObject *args) {
    sg_fork_warning_maintain();
    return sg_values_none();
}

/* ---- The fork gate ---- */

static PyObject *fork_handlers_register(PyObject *self, PyObject *args) {
    sg_after_fork_register();
    return sg_values_none();
}

static PyObject *fork_gate_is_free(PyObject *self, PyObject *args) {
    return PyBool_FromLong(sg_fork_gate_is_free());
}

/* Whether the gate is free in a child that was forked without the handlers, while a thread that
 * enters the engine was inside, once the child is entered itself. Called before the handlers are
 * registered. */
static PyObject *fork_gate_is_free_after_late_reset(PyObject *self, PyObject *args) {
    int status = 0;
    sg_lifecycle_begin();
    sg_fork_gate_enter();
    pid_t child = fork();
    if (child == 0) {
        sg_after_fork_reset_late();
        _exit(sg_fork_gate_is_free());
    }
    sg_fork_gate_leave();
    sg_lifecycle_end();
    if (child < 0 || waitpid(child, &status, 0) != child)
        return PyErr_SetFromErrno(PyExc_OSError);
    return PyBool_FromLong(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

static struct sg_engine_thread taker;
static bool is_taker_wanted, was_gate_free;

static void take_and_release_gil(void) {
    sg_gil_handover_want();
    sg_gil_access_take();
    sg_gil_handover_end();
    sg_gil_access_release(true);
}

static bool is_asleep(pid_t tid) {
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
    FILE *file = tid ? fopen(path, "r") : NULL;
    if (!file)
        return false;
    int n_read = fscanf(file, "%*d (%*[^)]) %c", &state);
    fclose(file);
    return n_read == 1 && state == 'S';
}

/* Before a fork, before the engine's handler: an engine thread wants the GIL, until it waits for a
 * lock that the forking thread has. */
static void start_taker(void) {
    if (!is_taker_wanted)
        return;
    is_taker_wanted = false;
    if (sg_engine_thread_start(&taker, take_and_release_gil, 256 * 1024))
        abort();
    while (!is_asleep(taker.tid))
        sg_futex_sleep_ns(1000 * 1000);
    was_gate_free = sg_fork_gate_is_free();
}

/* Have an engine thread take the GIL for the first time during the next fork. */
static PyObject *take_gil_in_fork(PyObject *self, PyObject *args) {
    is_taker_wanted = true;
    pthread_atfork(start_taker, NULL, NULL);
    return sg_values_none();
}

/* After it: was no engine thread in the gate while that one waited? */
static PyObject *took_gil_in_fork(PyObject *self, PyObject *args) {
    Py_BEGIN_ALLOW_THREADS
        ;
        sg_engine_thread_join(&taker);
    Py_END_ALLOW_THREADS;
    return PyBool_FromLong(was_gate_free);
}

PyMethodDef sg_start_bindings[] = {
    {"first_thread_start", first_thread_start, METH_O, "(ns): 0, or errno of the start."},
    {"joined_threads_counted", joined_threads_counted, METH_O, "(n): of n joined ones, how many."},
    {"fork_warning_open", fork_warning_open, METH_NOARGS, "Before the engine's threads start."},
    {"fork_warning_maintain", fork_warning_maintain, METH_NOARGS, "Remove what was kept."},
    {"creations_open", creations_open, METH_NOARGS, "Record starts of threads."},
    {"creations_close", creations_close, METH_NOARGS, "Record no more."},
    {"creations_record", creations_record, METH_O, "(ident): the hook."},
    {"started_thread_name", started_thread_name, METH_O, "(method): its Thread's name."},
    {"creations_take", creations_take, METH_NOARGS, "How many were recorded since."},
    {"creations_before", creations_before, METH_NOARGS, "How many threads were there before."},
    {"creations_look", creations_look, METH_NOARGS, "Tids of followed threads that have begun."},
    {"task_creations_open", task_creations_open, METH_NOARGS, "Record creations of tasks."},
    {"task_creations_close", task_creations_close, METH_NOARGS, "Record no more."},
    {"task_creations_after_fork", task_creations_after_fork, METH_NOARGS, "In a forked child."},
    {"task_creations_find", task_creations_find, METH_O, "(task): frames, creator, is it older?"},
    {"births_are_due", births_are_due, METH_O, "(now_ns): Is a look for them due?"},
    {"creations_enter", creations_enter, METH_NOARGS, "Into the hook; False if it is shut."},
    {"creations_leave", creations_leave, METH_NOARGS, "Out of the hook."},
    {"fork_handlers_register", fork_handlers_register, METH_NOARGS, "As an engine's start does."},
    {"take_gil_in_fork", take_gil_in_fork, METH_NOARGS, "An engine thread, in the next fork."},
    {"took_gil_in_fork", took_gil_in_fork, METH_NOARGS, "Was the gate free meanwhile?"},
    {"fork_gate_is_free", fork_gate_is_free, METH_NOARGS, "No fork, no engine thread inside."},
    {"fork_gate_is_free_after_late_reset", fork_gate_is_free_after_late_reset, METH_NOARGS,
     "In a child that was forked while a thread was inside, without the handlers."},
    {NULL, NULL, 0, NULL},
};
