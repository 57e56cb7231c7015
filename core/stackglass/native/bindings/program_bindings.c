/* Bindings of the program's requests to its own engine. */
#include "bindings/method_tables.h"

#include <string.h>

#include "agent/agent.h"
#include "agent/lifecycle.h"
#include "agent/program_requests.h"
#include "contention/contention.h"
#include "interpreter/arena_account.h"
#include "labels/labels.h"
#include "locks/contended.h"
#include "locks/totals.h"
#include "worker/gil_worker.h"

static PyObject *refuse(const char *problem) {
    PyErr_SetString(PyExc_RuntimeError, problem);
    return NULL;
}

static PyObject *connect_client(PyObject *module, PyObject *unused) {
    char problem[SG_PROGRAM_PROBLEM_BYTES];
    sg_gil_worker_note_initialized();
    PyThreadState *state = PyEval_SaveThread();
    int descriptor = sg_program_request_connect(sg_agent_begin, problem);
    PyEval_RestoreThread(state);
    return descriptor < 0 ? refuse(problem) : PyLong_FromLong(descriptor);
}

static PyObject *do_request(const struct sg_program_request *request) {
    char problem[SG_PROGRAM_PROBLEM_BYTES];
    sg_gil_worker_note_initialized();
    PyThreadState *state = PyEval_SaveThread();
    bool is_done = sg_program_request_do(sg_agent_begin, request, problem);
    PyEval_RestoreThread(state);
    if (!is_done)
        return refuse(problem);
    Py_RETURN_NONE;
}

static PyObject *set_own_rate(PyObject *module, PyObject *arguments) {
    static const struct {
        const char *name;
        enum sg_rate rate;
    } rates[] = {{"heap", SG_RATE_HEAP},
                 {"block", SG_RATE_BLOCK},
                 {"mutex", SG_RATE_MUTEX},
                 {"gil", SG_RATE_GIL},
                 {"threadcreate", SG_RATE_CREATIONS}};
    const char *name;
    unsigned long long value;
    if (!PyArg_ParseTuple(arguments, "sK", &name, &value))
        return NULL;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (!strcmp(name, rates[i].name)) {
            const struct sg_program_request request = {
                .kind = SG_PROGRAM_SET_RATE, .rate = rates[i].rate, .value = value};
            return do_request(&request);
        }
    return PyErr_Format(PyExc_ValueError, "no rate is called %s", name);
}

static PyObject *set_stack_depth(PyObject *module, PyObject *arguments) {
    unsigned depth;
    if (!PyArg_ParseTuple(arguments, "I", &depth))
        return NULL;
    return PyLong_FromUnsignedLong(sg_program_request_set_stack_depth(depth));
}

static PyObject *withdraw(PyObject *module, PyObject *unused) {
    const struct sg_program_request request = {.kind = SG_PROGRAM_WITHDRAW};
    return do_request(&request);
}

/* A running engine reads label sets from now on; one that starts later finds them itself. */
static PyObject *learn_labels(PyObject *module, PyObject *unused) {
    if (sg_lifecycle_state() == SG_AGENT_PRESENT)
        sg_labels_learn();
    Py_RETURN_NONE;
}

static PyObject *count_lock_waits(PyObject *module, PyObject *unused) {
    if (!sg_lock_contended_is_open())
        Py_RETURN_NONE;
    const struct sg_lock_totals waits = sg_lock_totals_read();
    return Py_BuildValue("KKK", (unsigned long long)waits.n, (unsigned long long)waits.waited_ns,
                         (unsigned long long)sg_contention_sampled_block_ns());
}

static PyObject *count_arenas(PyObject *module, PyObject *unused) {
    return PyLong_FromLong(sg_arena_account_count());
}

static PyObject *count_blocks(PyObject *module, PyObject *unused) {
    return PyLong_FromLongLong(sg_arena_account_blocks());
}

PyMethodDef sg_program_bindings[] = {
    {"connect", connect_client, METH_NOARGS,
     "Connect to this process's engine. Returns the descriptor of a socket."},
    {"set_own_rate", set_own_rate, METH_VARARGS,
     "set_own_rate(name, value): request a rate for the program; 0 = request none."},
    {"set_stack_depth", set_stack_depth, METH_VARARGS,
     "set_stack_depth(depth): set how many frames of a stack are kept. Returns the old number."},
    {"learn_labels", learn_labels, METH_NOARGS,
     "Make a running engine read the program's label sets from now on."},
    {"count_lock_waits", count_lock_waits, METH_NOARGS,
     "Return the number of lock waits so far, their ns, and the ns that sampled waits stand for;\n"
     "None = locks are not hooked."},
    {"count_arenas", count_arenas, METH_NOARGS,
     "Return the number of arenas of the small-object allocator; -1 = not known."},
    {"count_blocks", count_blocks, METH_NOARGS,
     "Return the number of small objects' blocks in use; -1 = not known."},
    {"withdraw", withdraw, METH_NOARGS, "Withdraw all rates of the program."},
    {NULL, NULL, 0, NULL},
};
