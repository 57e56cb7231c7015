/* Python bindings of the reader of goroutine and thread dumps. */
#include "bindings.h"
#include "dump_stacks.h"

/* Callback for odd lines that calls a Python callable with the begin and end of a line. The
 * callable returns an enum sg_dump_kind. */
struct line_reader {
    struct sg_dump_host host; /* first: ask_python casts a pointer to it */
    struct sg_python_progress *progress;
    PyObject *callable; /* borrowed from the call's arguments */
};

static int ask_python(struct sg_dump_host *host, size_t begin, size_t end) {
    struct line_reader *reader = (struct line_reader *)(void *)host;
    sg_take_gil(reader->progress);
    PyObject *answer =
        PyObject_CallFunction(reader->callable, "nn", (Py_ssize_t)begin, (Py_ssize_t)end);
    long kind = answer ? PyLong_AsLong(answer) : -1;
    if (!PyErr_Occurred() && (kind < 0 || kind > SG_DUMP_IS_NOTHING))
        PyErr_SetString(PyExc_ValueError, "there is no such kind of line");
    int result = PyErr_Occurred() ? -1 : (int)kind;
    Py_XDECREF(answer);
    sg_release_gil(reader->progress);
    return result;
}

static PyObject *export_columns(PyObject *module, struct sg_dump *dump) {
    const struct {
        const char *name;
        struct sg_vector *column;
        enum sg_kind kind;
    } columns[] = {
        {"frame_stack", &dump->frame_stack, SG_I32},
        {"field_stack", &dump->field_stack, SG_I32},
        {"call_start", &dump->calls.start, SG_U32},
        {"call_length", &dump->calls.length, SG_I32},
        {"place_start", &dump->places.start, SG_U32},
        {"place_length", &dump->places.length, SG_I32},
        {"text_start", &dump->texts.start, SG_U32},
        {"text_length", &dump->texts.length, SG_I32},
        {"frame", &dump->frames.pair, SG_I32},
        {"field", &dump->fields.pair, SG_I32},
        {"stack_start", &dump->stack_start, SG_I64},
        {"stack", &dump->stack, SG_I32},
        {"label_stack", &dump->label_stack, SG_I32},
        {"label_field", &dump->label_field, SG_I32},
        {"label_number", &dump->label_number, SG_I64},
    };
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < sizeof columns / sizeof *columns; i++)
        if (sg_export_into(module, dict, columns[i].name, columns[i].column, columns[i].kind) < 0)
            Py_CLEAR(dict);
    return dict ? Py_BuildValue("Nn", dict, (Py_ssize_t)dump->lines.refused_bytes) : NULL;
}

static PyObject *read_dump(PyObject *module, PyObject *args) {
    PyObject *content, *read_line, *callable;
    int form;
    struct sg_array array = {0};
    struct sg_python_progress progress;
    struct sg_dump dump;
    if (!PyArg_ParseTuple(args, "OiOO:read_dump", &content, &form, &read_line, &callable))
        return NULL;
    if (form != SG_DUMP_GOROUTINES && form != SG_DUMP_THREADS) {
        PyErr_SetString(PyExc_ValueError, "there is no such form of a dump");
        return NULL;
    }
    if (sg_view(content, SG_BYTES, 0, "content", &array) < 0) {
        sg_drop(&array, 1);
        return NULL;
    }
    struct line_reader reader = {{ask_python}, &progress, read_line};
    sg_init_progress(&progress, callable);
    sg_release_gil(&progress);
    int result = sg_dump_read(&dump, array.buffer.buf, array.n, (enum sg_dump_form)form,
                              &reader.host, &progress.progress);
    sg_take_gil(&progress);
    sg_drop(&array, 1);
    PyObject *found = NULL;
    if (result == 0)
        found = export_columns(module, &dump);
    else if (result == -1)
        PyErr_NoMemory();
    else if (!PyErr_Occurred())
        PyErr_SetNone(PyExc_InterruptedError);
    sg_dump_free(&dump);
    return found;
}

PyMethodDef sg_dump_bindings[] = {
    {"read_dump", read_dump, METH_VARARGS, "Read a dump of stacks into columns."},
    {NULL, NULL, 0, NULL},
};
