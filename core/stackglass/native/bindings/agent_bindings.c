/* The Python face of the agent: the engine in this process. */
#include "bindings/method_tables.h"

#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/self_profile.h"
#include "frames/module_names.h"
#include "interpreter/python_text.h"
#include "platform/time.h"
#include "wire/intern.h"
#include "wire/requests.h"
#include "worker/gil_worker.h"

enum { TURN_NS = 20 * 1000 * 1000 };
static const int64_t START_WAIT_NS = INT64_C(2000) * 1000 * 1000;

static void wait_until_profiling(void) {
    int64_t until_ns = sg_time_mono_ns() + START_WAIT_NS;
    while (sg_agent_state() == SG_AGENT_PRESENT && !sg_agent_is_profiling() &&
           sg_time_mono_ns() < until_ns)
        sg_agent_wait(TURN_NS);
}

static PyObject *face_enter(PyObject *module, PyObject *arguments) {
    struct sg_arguments read;
    char *bytes;
    Py_ssize_t size;

    if (PyBytes_AsStringAndSize(arguments, &bytes, &size))
        return NULL;
    sg_gil_worker_vouch();
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

static PyObject *face_session_start(PyObject *module, PyObject *arguments) {
    const char *clock_name;
    int hz;
    bool is_in_use;
    if (!PyArg_ParseTuple(arguments, "is", &hz, &clock_name))
        return NULL;
    int clock = sg_arguments_clock(clock_name);
    if (clock < 0) {
        PyErr_Format(PyExc_ValueError, "no clock is called %s", clock_name);
        return NULL;
    }
    sg_gil_worker_vouch();
    PyThreadState *state = PyEval_SaveThread();
    const char *problem =
        sg_self_profile_start(sg_arguments_clamp_hz(hz), (enum sg_clock)clock, &is_in_use);
    PyEval_RestoreThread(state);
    if (problem) {
        PyErr_SetString(is_in_use ? PyExc_BlockingIOError : PyExc_RuntimeError, problem);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *face_session_stop(PyObject *module, PyObject *unused) {
    struct sg_buffer bytes;
    PyThreadState *state = PyEval_SaveThread();
    bool was_running = sg_self_profile_stop(&bytes);
    PyEval_RestoreThread(state);
    if (!was_running)
        Py_RETURN_NONE;
    PyObject *result = bytes.failed
                           ? PyErr_NoMemory()
                           : PyBytes_FromStringAndSize((char *)bytes.bytes, (Py_ssize_t)bytes.size);
    sg_encoder_buffer_free(&bytes);
    return result;
}

static PyObject *face_full_name(PyObject *module, PyObject *arguments) {
    struct sg_paths paths = {0};
    PyObject *list;
    const char *main_file, *filename, *qualname;
    if (!PyArg_ParseTuple(arguments, "O!zss", &PyTuple_Type, &list, &main_file, &filename,
                          &qualname))
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_Size(list); i++) {
        char *path = sg_python_text_copy(PyTuple_GetItem(list, i));
        if (path)
            sg_module_names_add_path(&paths, path);
        free(path);
    }
    paths.main_file = main_file ? strdup(main_file) : NULL;
    char *name = sg_module_names_full_name(&paths, filename, qualname);
    PyObject *result = name ? PyUnicode_FromString(name) : PyErr_NoMemory();
    free(name);
    sg_module_names_free(&paths);
    return result;
}

static PyObject *face_read_request(PyObject *module, PyObject *frame) {
    struct sg_request request = {0};
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(frame, &bytes, &size))
        return NULL;
    long taken = sg_request_read((const uint8_t *)bytes, (size_t)size, &request);
    const struct sg_requested_rates *rates = &request.contention;
    return Py_BuildValue(
        "liKKKi(KKKKKKK)", taken, (int)request.kind, (unsigned long long)request.protocol,
        (unsigned long long)request.cpu_hz, (unsigned long long)request.heap_rate,
        request.is_without_native, (unsigned long long)rates->block_ns,
        (unsigned long long)rates->mutex_fraction, (unsigned long long)rates->gil_hz,
        (unsigned long long)rates->kept, (unsigned long long)rates->is_other,
        (unsigned long long)rates->stall_ns, (unsigned long long)rates->changed);
}

/* One stack of names, root first, as a node. */
static uint32_t climb(struct sg_intern *intern, PyObject *names) {
    uint32_t node = SG_NODE_EMPTY;
    for (Py_ssize_t i = 0; i < PyTuple_Size(names); i++) {
        char *name = sg_python_text_copy(PyTuple_GetItem(names, i));
        uint32_t function = sg_intern_function(intern, name, name, "", 1);
        node = sg_intern_node(intern, node, sg_intern_location(intern, function, 1));
        free(name);
    }
    return node;
}

static PyObject *face_intern_stacks(PyObject *module, PyObject *arguments) {
    struct sg_intern intern;
    PyObject *stacks;
    unsigned int string_bytes, n_rows;
    if (!PyArg_ParseTuple(arguments, "IIO!", &string_bytes, &n_rows, &PyTuple_Type, &stacks))
        return NULL;
    if (!sg_intern_open(&intern))
        return PyErr_NoMemory();
    sg_intern_limit(&intern, string_bytes, n_rows);
    PyObject *nodes = PyList_New(0);
    for (Py_ssize_t i = 0; nodes && i < PyTuple_Size(stacks); i++) {
        PyObject *node = PyLong_FromLong(climb(&intern, PyTuple_GetItem(stacks, i)));
        if (!node || PyList_Append(nodes, node))
            Py_CLEAR(nodes);
        Py_XDECREF(node);
    }
    PyObject *result = nodes ? Py_BuildValue("NIII", nodes, intern.strings.n_rows,
                                             intern.locations.n_rows, intern.nodes.n_rows)
                             : NULL;
    sg_intern_close(&intern);
    return result;
}

PyMethodDef sg_agent_bindings[] = {
    {"enter", face_enter, METH_O,
     "Start the engine in this process: NUL-separated key=value. 0, 1 = it runs, or -errno."},
    {"session_start", face_session_start, METH_VARARGS, "Take a CPU profile of this process."},
    {"session_stop", face_session_stop, METH_NOARGS, "End it: framed messages, or None."},
    {"full_name", face_full_name, METH_VARARGS, "module.qualname; for tests."},
    {"read_request", face_read_request, METH_O, "A client's request, taken apart; for tests."},
    {"intern_stacks", face_intern_stacks, METH_VARARGS, "Stacks of names as nodes; for tests."},
    {NULL, NULL, 0, NULL},
};
