/* Python bindings of the reader of `perf script`'s text. */
#include "bindings.h"
#include "perf_lines.h"

static const char *name_fault(enum sg_perf_fault fault) {
    switch (fault) {
    case SG_PERF_BAD_LINE:
        return "line";
    case SG_PERF_LONG_LINE:
        return "length";
    case SG_PERF_MANY_EVENTS:
        return "events";
    case SG_PERF_LARGE_VALUE:
        return "value";
    default:
        return "";
    }
}

static int export_columns(PyObject *module, PyObject *dict, struct sg_perf_script *script) {
    const struct {
        const char *name;
        struct sg_vector *column;
        enum sg_kind kind;
    } columns[] = {
        {"thread_start", &script->threads.start, SG_U32},
        {"thread_length", &script->threads.length, SG_I32},
        {"event_start", &script->events.start, SG_U32},
        {"event_length", &script->events.length, SG_I32},
        {"command_start", &script->commands.start, SG_U32},
        {"command_length", &script->commands.length, SG_I32},
        {"name_start", &script->places.name_start, SG_U32},
        {"name_length", &script->places.name_length, SG_I32},
        {"file_start", &script->places.file_start, SG_U32},
        {"file_length", &script->places.file_length, SG_I32},
        {"place_has_tab", &script->places.has_tab, SG_BYTES},
        {"place_sample", &script->places.sample, SG_I64},
        {"stack_start", &script->stack_start, SG_I64},
        {"stack", &script->stack, SG_I32},
        {"thread", &script->thread, SG_I32},
        {"event", &script->event, SG_I32},
        {"time_ns", &script->time_ns, SG_I64},
        {"period", &script->period, SG_I64},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (sg_export_into(module, dict, columns[i].name, columns[i].column, columns[i].kind) < 0)
            return -1;
    return 0;
}

static int export_item(PyObject *dict, const char *name, PyObject *item) {
    int result = item ? PyDict_SetItemString(dict, name, item) : -1;
    Py_XDECREF(item);
    return result;
}

static PyObject *export_script(PyObject *module, struct sg_perf_script *script) {
    PyObject *dict = PyDict_New();
    if (dict &&
        (export_item(dict, "fault", PyUnicode_FromString(name_fault(script->fault))) < 0 ||
         export_item(dict, "fault_number", PyLong_FromUnsignedLongLong(script->fault_number)) < 0 ||
         export_item(dict, "fault_begin", PyLong_FromSize_t(script->fault_begin)) < 0 ||
         export_item(dict, "fault_end", PyLong_FromSize_t(script->fault_end)) < 0 ||
         export_item(dict, "is_cut", PyBool_FromLong(script->is_cut)) < 0 ||
         export_columns(module, dict, script) < 0))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *read_perf_lines(PyObject *module, PyObject *args) {
    PyObject *content, *callable;
    struct sg_array text = {0};
    struct sg_python_progress progress;
    struct sg_perf_script script;
    if (!PyArg_ParseTuple(args, "OO:read_perf_lines", &content, &callable))
        return NULL;
    if (sg_view(content, SG_BYTES, 0, "content", &text) < 0) {
        sg_drop(&text, 1);
        return NULL;
    }
    sg_init_progress(&progress, callable);
    sg_release_gil(&progress);
    int result = sg_perf_lines_read(text.buffer.buf, text.n, &progress.progress, &script);
    sg_take_gil(&progress);
    sg_drop(&text, 1);
    PyObject *dict = NULL;
    if (result == 0)
        dict = export_script(module, &script);
    else if (result == -2)
        PyErr_NoMemory();
    else if (!PyErr_Occurred())
        PyErr_SetNone(PyExc_InterruptedError);
    sg_perf_lines_free(&script);
    return dict;
}

PyMethodDef sg_perf_bindings[] = {
    {"read_perf_lines", read_perf_lines, METH_VARARGS, "Read perf script's text into columns."},
    {NULL, NULL, 0, NULL},
};
