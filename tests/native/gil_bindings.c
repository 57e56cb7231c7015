/* Waits for the GIL, and requests for a thread's stack, for tests. */
#define PY_SSIZE_T_CLEAN
#include "tables.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "cpu/stack_request.h"
#include "gil/sampling.h"
#include "gil/state.h"
#include "gil/waits.h"
#include "interpreter/raw_allocator.h"
#include "values.h"

/* What was charged, by leaf and its caller: enough for tests. Guarded by `lock`. */
enum { MOST_CHARGES = 4096, KEPT_FRAMES = 32 };
static struct charged {
    pid_t holder;
    uint32_t depth;
    struct sg_frame frames[KEPT_FRAMES];
    uint64_t n_waits;
    int64_t waited_ns;
} charges[MOST_CHARGES];
static uint32_t n_charges;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct charged *find(pid_t holder, const struct sg_frame *frames, uint32_t depth) {
    for (uint32_t i = 0; i < n_charges; i++) {
        if (charges[i].holder == holder && charges[i].depth == depth &&
            memcmp(charges[i].frames, frames, depth * sizeof *frames) == 0)
            return &charges[i];
    }
    if (n_charges == MOST_CHARGES)
        return NULL;
    struct charged *added = &charges[n_charges++];
    *added = (struct charged){.holder = holder, .depth = depth};
    memcpy(added->frames, frames, depth * sizeof *frames);
    return added;
}

/* An sg_gil_charge_fn. */
static void keep(pid_t holder, const struct sg_frame *frames, uint32_t depth, uint32_t labels,
                 uint64_t n_waits, int64_t waited_ns) {
    pthread_mutex_lock(&lock);
    struct charged *charged = find(holder, frames, depth < KEPT_FRAMES ? depth : KEPT_FRAMES);
    if (charged) {
        charged->n_waits += n_waits;
        charged->waited_ns += waited_ns;
    }
    pthread_mutex_unlock(&lock);
}

static PyObject *look_at_raw_allocator(PyObject *self, PyObject *args) {
    sg_raw_allocator_find();
    return Py_BuildValue("(NNN)", PyBool_FromLong(sg_raw_allocator_is_own()),
                         PyBool_FromLong(sg_raw_allocator_is_traced()),
                         PyBool_FromLong(sg_raw_allocator_may_be_traced()));
}

/* As an engine's thread, without the GIL. */
static PyObject *poll_raw_allocator(PyObject *self, PyObject *args) {
    unsigned n, n_traced = 0;
    if (!PyArg_ParseTuple(args, "I", &n))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
        ;
        for (unsigned i = 0; i < n; i++)
            n_traced += sg_raw_allocator_is_traced();
    Py_END_ALLOW_THREADS;
    return PyLong_FromLong(n_traced);
}

static PyObject *prepare(PyObject *self, PyObject *args) {
    return sg_values_text(sg_gil_sampling_prepare(keep));
}

static PyObject *unprepare(PyObject *self, PyObject *args) {
    sg_gil_sampling_unprepare();
    return sg_values_none();
}

static PyObject *set_rate(PyObject *self, PyObject *args) {
    unsigned int hz;
    if (!PyArg_ParseTuple(args, "I", &hz))
        return NULL;
    sg_gil_sampling_set_rate(hz);
    return sg_values_none();
}

static PyObject *charge_as_tuple(const struct charged *charged) {
    PyObject *stack = sg_values_frames(charged->frames, charged->depth);
    return stack
               ? Py_BuildValue("(iKLN)", (int)charged->holder, (unsigned long long)charged->n_waits,
                               (long long)charged->waited_ns, stack)
               : NULL;
}

static PyObject *drain(PyObject *self, PyObject *args) {
    static struct charged copy[MOST_CHARGES]; /* guarded by the GIL */
    pthread_mutex_lock(&lock);
    uint32_t n = n_charges;
    memcpy(copy, charges, n * sizeof *copy);
    n_charges = 0;
    pthread_mutex_unlock(&lock);
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list && i < n; i++)
        sg_values_append(&list, charge_as_tuple(&copy[i]));
    return list;
}

static PyObject *waited(PyObject *self, PyObject *args) {
    struct sg_gil_sums sums;
    if (!sg_gil_waits_sum(&sums))
        return sg_values_none();
    return Py_BuildValue("(KK)", (unsigned long long)sums.n_waits,
                         (unsigned long long)sums.waited_ns);
}

static PyObject *status(PyObject *self, PyObject *args) {
    struct sg_gil_status now;
    sg_gil_sampling_status(&now);
    return Py_BuildValue(
        "{s:I,s:s,s:s,s:O,s:O,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K}", "hz", now.hz, "source",
        now.source, "problem", now.problem, "is_redirected",
        sg_gil_waits_is_redirected() ? Py_True : Py_False, "is_looking",
        now.is_sampling ? Py_True : Py_False, "n_looks", (unsigned long long)now.n_samples,
        "n_nobody", (unsigned long long)now.n_free, "n_let_go", (unsigned long long)now.n_released,
        "n_unanswered", (unsigned long long)now.n_unanswered, "n_waits",
        (unsigned long long)now.n_waits, "waited_ns", (unsigned long long)now.waited_ns, "n_left",
        (unsigned long long)now.n_last_known, "free_ns", (unsigned long long)now.free_ns,
        "engine_ns", (unsigned long long)now.engine_ns);
}

static PyObject *holder(PyObject *self, PyObject *args) {
    unsigned long long gil;
    if (!PyArg_ParseTuple(args, "K:gil_holder", &gil))
        return NULL;
    return PyLong_FromUnsignedLongLong(sg_gil_state_holder((uintptr_t)gil));
}

static PyObject *after_fork(PyObject *self, PyObject *args) {
    sg_gil_sampling_after_fork_in_child();
    return sg_values_none();
}

/* stack_ask(tid, patience_ns): the stack, or None if there was no answer. */
static PyObject *ask(PyObject *self, PyObject *args) {
    const struct timespec nap = {0, 100 * 1000};
    struct sg_stack_answer answer = {0};
    int tid;
    long long patience_ns;
    if (!PyArg_ParseTuple(args, "iL", &tid, &patience_ns))
        return NULL;
    struct sg_stack_request *request = sg_stack_request_ask(tid, NULL, NULL);
    if (!request)
        return sg_values_none();
    bool has_answered = false;
    Py_BEGIN_ALLOW_THREADS
        for (; patience_ns > 0 && !has_answered; patience_ns -= nap.tv_nsec) {
            has_answered = sg_stack_request_look(request, &answer);
            if (!has_answered)
                nanosleep(&nap, NULL);
        }
    Py_END_ALLOW_THREADS
    PyObject *stack =
        has_answered ? sg_values_frames(answer.frames, answer.depth) : sg_values_none();
    sg_stack_request_drop(request);
    return stack;
}

static PyObject *counts(PyObject *self, PyObject *args) {
    struct sg_stack_request_counts now = sg_stack_request_counts();
    return Py_BuildValue("(KK)", (unsigned long long)now.n_asked,
                         (unsigned long long)now.n_unanswered);
}

PyMethodDef sg_gil_bindings[] = {
    {"raw_allocator", look_at_raw_allocator, METH_NOARGS, "(is own, is traced, may be traced)"},
    {"raw_allocator_poll", poll_raw_allocator, METH_VARARGS, "How often it was traced."},
    {"gil_prepare", prepare, METH_NOARGS, "None, or why not."},
    {"gil_unprepare", unprepare, METH_NOARGS, "Everything as it was."},
    {"gil_set_rate", set_rate, METH_VARARGS, "gil_set_rate(hz)"},
    {"gil_drain", drain, METH_NOARGS, "[(holder tid, n_waits, waited_ns, ((code_id, lasti), …))]"},
    {"gil_waited", waited, METH_NOARGS, "(n_waits, waited_ns), all that was counted; or None."},
    {"gil_status", status, METH_NOARGS, "A dict of sg_gil_sampling_status."},
    {"gil_holder", holder, METH_VARARGS, "The thread state that has the GIL at an address, or 0."},
    {"gil_after_fork", after_fork, METH_NOARGS, "In a forked child."},
    {"stack_ask", ask, METH_VARARGS, "stack_ask(tid, patience_ns): frames, leaf first, or None."},
    {"stack_counts", counts, METH_NOARGS, "(requests sent, requests never answered)"},
    {NULL, NULL, 0, NULL},
};
