/* Python bindings of the reader of callgrind's format.
 *
 *     read_callgrind(content, alias, read_header, progress)
 *         ─▶ columns by name, (fault, number, begin and end of the line it is in), length of a
 *            line that is too long, whether the file ends between calls= and its costs */
#include "bindings.h"
#include "call_cycles.h"
#include "callgrind.h"

/* Callback for headers that calls a Python callable with the begin, end and number of a line. The
 * callable returns the form of the cost lines that follow the header: (number of positions, index
 * of the line number in them, a tuple with a factor for each event). */
struct header_reader {
    struct sg_callgrind_host host; /* first: ask_python casts a pointer to it */
    struct sg_python_progress *progress;
    PyObject *callable; /* borrowed from the call's arguments */
};

static int parse_form(PyObject *answer, struct sg_callgrind_form *form) {
    long long n_positions, line_position;
    PyObject *factors;
    if (!PyArg_ParseTuple(answer, "LLO!", &n_positions, &line_position, &PyTuple_Type, &factors))
        return -1;
    Py_ssize_t n_events = PyTuple_Size(factors);
    if (n_events > SG_CALLGRIND_MOST_EVENTS ||
        (form->n_events && (size_t)n_events != form->n_events)) {
        PyErr_SetString(PyExc_ValueError, "more than 32 events, or not as many as before");
        return -1;
    }
    for (Py_ssize_t i = 0; i < n_events; i++) {
        form->factor[i] = PyLong_AsLongLong(PyTuple_GetItem(factors, i));
        if (PyErr_Occurred())
            return -1;
    }
    form->n_positions = n_positions;
    form->line_position = line_position;
    form->n_events = (size_t)n_events;
    return 0;
}

static int ask_python(struct sg_callgrind_host *host, size_t begin, size_t end, int64_t number,
                      struct sg_callgrind_form *form) {
    struct header_reader *reader = (struct header_reader *)(void *)host;
    sg_take_gil(reader->progress);
    PyObject *answer = PyObject_CallFunction(reader->callable, "nnL", (Py_ssize_t)begin,
                                             (Py_ssize_t)end, (long long)number);
    int result = -1;
    if (answer && PyTuple_Check(answer))
        result = parse_form(answer, form);
    else if (answer)
        PyErr_SetString(PyExc_TypeError, "the form of lines is a tuple");
    Py_XDECREF(answer);
    sg_release_gil(reader->progress);
    return result;
}

static PyObject *export_columns(PyObject *module, struct sg_callgrind *reading) {
    struct sg_callgrind_functions *functions = &reading->names.functions;
    const struct {
        const char *name;
        struct sg_vector *column;
        enum sg_kind kind;
    } columns[] = {
        {"text_start", &reading->names.texts.start, SG_U32},
        {"text_length", &reading->names.texts.length, SG_I32},
        {"object", &functions->object, SG_I32},
        {"file", &functions->file, SG_I32},
        {"name", &functions->name, SG_I32},
        {"line", &reading->line, SG_I32},
        {"own", &reading->own, SG_I64},
        {"caller", &reading->caller, SG_I32},
        {"callee", &reading->called, SG_I32},
        {"n_calls", &reading->n_calls, SG_I64},
        {"caused", &reading->caused, SG_I64},
    };
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < sizeof columns / sizeof *columns; i++)
        if (sg_export_into(module, dict, columns[i].name, columns[i].column, columns[i].kind) < 0)
            Py_CLEAR(dict);
    return dict;
}

static PyObject *make_result(PyObject *module, struct sg_callgrind *reading, int fault) {
    const struct sg_text_lines *lines = &reading->lines;
    PyObject *columns = export_columns(module, reading);
    if (!columns)
        return NULL;
    return Py_BuildValue("N(iLnn)ni", columns, fault, (long long)lines->number,
                         (Py_ssize_t)lines->begin, (Py_ssize_t)lines->end,
                         (Py_ssize_t)lines->refused_bytes, reading->callee >= 0);
}

static PyObject *read_callgrind(PyObject *module, PyObject *args) {
    PyObject *content, *alias, *read_header, *callable;
    struct sg_array arrays[2] = {0};
    struct sg_python_progress progress;
    struct sg_callgrind reading;
    if (!PyArg_ParseTuple(args, "OOOO:read_callgrind", &content, &alias, &read_header, &callable))
        return NULL;
    if (sg_view(content, SG_BYTES, 0, "content", &arrays[0]) < 0 ||
        sg_view(alias, SG_I32, 0, "alias", &arrays[1]) < 0) {
        sg_drop(arrays, 2);
        return NULL;
    }
    const int32_t *aliases = arrays[1].buffer.buf;
    for (size_t i = 0; i < arrays[1].n; i++)
        if (aliases[i] < 0 || (size_t)aliases[i] > i) {
            sg_drop(arrays, 2);
            PyErr_SetString(PyExc_ValueError,
                            "an alias must be the name's own number or that of an earlier name");
            return NULL;
        }
    struct header_reader reader = {{ask_python}, &progress, read_header};
    sg_init_progress(&progress, callable);
    sg_release_gil(&progress);
    int result = sg_callgrind_read(&reading, arrays[0].buffer.buf, arrays[0].n, aliases,
                                   arrays[1].n, &reader.host, &progress.progress);
    sg_take_gil(&progress);
    sg_drop(arrays, 2);
    PyObject *found = NULL;
    if (result == SG_CALLGRIND_NO_MEMORY)
        PyErr_NoMemory();
    else if (result >= 0)
        found = make_result(module, &reading, result);
    else if (!PyErr_Occurred())
        PyErr_SetNone(PyExc_InterruptedError);
    sg_callgrind_free(&reading);
    return found;
}

static PyObject *find_cycles(PyObject *module, PyObject *args) {
    PyObject *start, *callee;
    struct sg_array arrays[2] = {0};
    if (!PyArg_ParseTuple(args, "OO:find_cycles", &start, &callee))
        return NULL;
    if (sg_view(start, SG_I64, 0, "start", &arrays[0]) < 0 ||
        sg_view(callee, SG_I32, 0, "callee", &arrays[1]) < 0) {
        sg_drop(arrays, 2);
        return NULL;
    }
    struct sg_vector cycle = {0};
    size_t n_in_cycles = 0;
    int result = -2;
    PyThreadState *saved = PyEval_SaveThread();
    if (sg_call_cycles_check(arrays[0].buffer.buf, arrays[0].n, arrays[1].buffer.buf,
                             arrays[1].n) == 0)
        result = sg_call_cycles_find(arrays[0].buffer.buf, arrays[0].n - 1, arrays[1].buffer.buf,
                                     &cycle, &n_in_cycles);
    PyEval_RestoreThread(saved);
    sg_drop(arrays, 2);
    if (result == 0) {
        PyObject *column = sg_export(module, &cycle, SG_I32);
        return column ? Py_BuildValue("Nn", column, (Py_ssize_t)n_in_cycles) : NULL;
    }
    if (result == -1)
        return PyErr_NoMemory();
    PyErr_SetString(PyExc_ValueError, "calls do not fit together");
    return NULL;
}

PyMethodDef sg_callgrind_bindings[] = {
    {"find_cycles", find_cycles, METH_VARARGS, "Find functions that call each other in cycles."},
    {"read_callgrind", read_callgrind, METH_VARARGS, "Read callgrind's format into columns."},
    {NULL, NULL, 0, NULL},
};
