/* Bindings of the agent: Python code starts the engine in its process, takes a CPU profile of the
 * process, and marks a thread as one that does the engine's work. */
#include "bindings/method_tables.h"

#include "agent/agent.h"
#include "agent/lifecycle.h"
#include "agent/self_profile.h"
#include "platform/engine_threads.h"
#include "platform/time.h"
#include "worker/gil_worker.h"

enum { TURN_NS = 20 * 1000 * 1000 }; /* longest wait for a change, before the clock is read again */
static const int64_t START_WAIT_NS = INT64_C(2000) * 1000 * 1000;

/* Wait until the profile runs or the agent is no longer there, at most START_WAIT_NS. Called
 * without the GIL. */
static void wait_until_profiling(void) {
    int64_t until_ns = sg_time_mono_ns() + START_WAIT_NS;
    for (;;) {
        uint32_t seen = sg_lifecycle_count();
        if (sg_lifecycle_state() != SG_AGENT_PRESENT || sg_lifecycle_is_profiling() ||
            sg_time_mono_ns() >= until_ns)
            return;
        sg_lifecycle_wait(seen, TURN_NS);
    }
}

static PyObject *enter(PyObject *module, PyObject *arguments) {
    struct sg_arguments read;
    char *bytes;
    Py_ssize_t size;

    if (PyBytes_AsStringAndSize(arguments, &bytes, &size))
        return NULL;
    sg_gil_worker_note_initialized();
    int outcome = sg_arguments_read(bytes, (size_t)size, &read);
    if (!outcome)
        outcome = sg_agent_begin(&read);
    if (outcome >= 0 && read.is_waiting) {
        PyThreadState *state = PyEval_SaveThread();
        wait_until_profiling();
        PyEval_RestoreThread(state);
    }
    return PyLong_FromLong(outcome);
}

static PyObject *self_profile_start(PyObject *module, PyObject *arguments) {
    const char *clock_name;
    int hz;
    unsigned wall_hz = 0;
    struct sg_self_profile_problem problem;
    if (!PyArg_ParseTuple(arguments, "is|I", &hz, &clock_name, &wall_hz))
        return NULL;
    int clock = sg_arguments_clock(clock_name);
    if (clock < 0) {
        PyErr_Format(PyExc_ValueError, "no clock is called %s", clock_name);
        return NULL;
    }
    sg_gil_worker_note_initialized();
    PyThreadState *state = PyEval_SaveThread();
    const struct sg_self_profile_rates rates = {sg_arguments_clamp_hz(hz), wall_hz};
    bool is_begun = sg_self_profile_start(sg_agent_begin, &rates, (enum sg_clock)clock, &problem);
    PyEval_RestoreThread(state);
    if (!is_begun) {
        PyErr_SetString(problem.is_in_use ? PyExc_BlockingIOError : PyExc_RuntimeError,
                        problem.text);
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Return the messages that `receive` hands over; None = it says that no profile runs. */
static PyObject *receive_messages(bool (*receive)(struct sg_buffer *)) {
    struct sg_buffer bytes;
    bool is_begun = sg_engine_threads_begin_exempt();
    PyThreadState *state = PyEval_SaveThread();
    bool was_running = receive(&bytes);
    PyEval_RestoreThread(state);
    if (is_begun)
        sg_engine_threads_end_exempt();
    if (!was_running)
        Py_RETURN_NONE;
    PyObject *result = bytes.failed
                           ? PyErr_NoMemory()
                           : PyBytes_FromStringAndSize((char *)bytes.bytes, (Py_ssize_t)bytes.size);
    sg_encoder_buffer_free(&bytes);
    return result;
}

static PyObject *self_profile_take(PyObject *module, PyObject *unused) {
    return receive_messages(sg_self_profile_take);
}

static PyObject *self_profile_stop(PyObject *module, PyObject *unused) {
    return receive_messages(sg_self_profile_stop);
}

static PyObject *begin_exempt(PyObject *module, PyObject *unused) {
    return PyBool_FromLong(sg_engine_threads_begin_exempt());
}

static PyObject *end_exempt(PyObject *module, PyObject *unused) {
    sg_engine_threads_end_exempt();
    Py_RETURN_NONE;
}

PyMethodDef sg_agent_bindings[] = {
    {"enter", enter, METH_O,
     "enter(arguments): start the engine in this process. The arguments are NUL-separated\n"
     "key=value fields. Returns 0, 1 if an engine is there already, or -errno."},
    {"begin_exempt", begin_exempt, METH_NOARGS,
     "Count this thread's work as the engine's: no allocation of it is sampled. Returns False\n"
     "if that was so already; then end_exempt must not be called."},
    {"end_exempt", end_exempt, METH_NOARGS, "Count this thread's work as the program's again."},
    {"self_profile_start", self_profile_start, METH_VARARGS,
     "self_profile_start(hz, clock, wall_hz): begin a CPU profile of this process, with wall\n"
     "samples if wall_hz is not 0."},
    {"self_profile_take", self_profile_take, METH_NOARGS,
     "Take what the profile has so far; it runs on. Returns its framed messages since the last\n"
     "call, or None if there is no profile."},
    {"self_profile_stop", self_profile_stop, METH_NOARGS,
     "End the profile. Returns its framed messages since they were last taken, or None if there\n"
     "is no profile."},
    {NULL, NULL, 0, NULL},
};
