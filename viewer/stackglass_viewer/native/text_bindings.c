/* Python bindings of the readers of collapsed stacks and of Austin's text. */
#include "austin_lines.h"
#include "bindings.h"
#include "stack_lines.h"

struct column {
    const char *name;
    struct sg_vector *items;
    enum sg_kind kind;
};

struct number {
    const char *name;
    int64_t value;
};

/* Return a dict of columns and numbers by name, or NULL with an error set. */
static PyObject *export(PyObject *module, const struct column *columns, size_t n_columns,
                        const struct number *numbers, size_t n_numbers) {
    PyObject *dict = PyDict_New();
    int result = dict ? 0 : -1;
    for (size_t i = 0; result == 0 && i < n_columns; i++)
        result = sg_export_into(module, dict, columns[i].name, columns[i].items, columns[i].kind);
    for (size_t i = 0; result == 0 && i < n_numbers; i++) {
        PyObject *value = PyLong_FromLongLong(numbers[i].value);
        result = value ? PyDict_SetItemString(dict, numbers[i].name, value) : -1;
        Py_XDECREF(value);
    }
    if (result < 0)
        Py_CLEAR(dict);
    return dict;
}

static PyObject *raise(int is_out_of_memory) {
    if (is_out_of_memory)
        return PyErr_NoMemory();
    if (!PyErr_Occurred()) /* else the progress callable has raised */
        PyErr_SetNone(PyExc_InterruptedError);
    return NULL;
}

static PyObject *export_stacks(PyObject *module, struct sg_stack_lines *rows, int n_values) {
    const struct sg_text_lines *lines = &rows->lines;
    const struct column columns[] = {
        {"frame_begin", &rows->stacks.frames.start, SG_U32},
        {"frame_bytes", &rows->stacks.frames.length, SG_I32},
        {"stack_start", &rows->stacks.start, SG_I64},
        {"stack", &rows->stacks.stack, SG_I32},
        {"odd_row", &rows->odd_row, SG_I64},
        {"odd_begin", &rows->odd_begin, SG_I64},
        {"odd_end", &rows->odd_end, SG_I64},
        {"value_0", &rows->values[0], SG_I64},
        {"value_1", &rows->values[1], SG_I64},
    };
    const struct number numbers[] = {
        {"none", rows->none},
        {"has_fractions", rows->has_fractions},
        {"misfit_number", rows->has_misfit ? lines->number : 0},
        {"misfit_begin", (int64_t)lines->begin},
        {"misfit_end", (int64_t)lines->end},
        {"refused_bytes", (int64_t)lines->refused_bytes},
    };
    size_t n_columns = sizeof columns / sizeof *columns - (size_t)(SG_MOST_STACK_VALUES - n_values);
    return export(module, columns, n_columns, numbers, sizeof numbers / sizeof *numbers);
}

static PyObject *read_stack_lines(PyObject *module, PyObject *args) {
    PyObject *object, *callable;
    int n_values;
    struct sg_array content = {0};
    struct sg_python_progress progress;
    struct sg_stack_lines rows;
    if (!PyArg_ParseTuple(args, "OiO:read_stack_lines", &object, &n_values, &callable))
        return NULL;
    if (n_values < 1 || n_values > SG_MOST_STACK_VALUES) {
        PyErr_SetString(PyExc_ValueError, "too few or too many values");
        return NULL;
    }
    if (sg_view(object, SG_BYTES, 0, "content", &content) < 0) {
        sg_drop(&content, 1);
        return NULL;
    }
    sg_init_progress(&progress, callable);
    sg_release_gil(&progress);
    int result =
        sg_stack_lines_read(&rows, content.buffer.buf, content.n, n_values, &progress.progress);
    sg_take_gil(&progress);
    sg_drop(&content, 1);
    PyObject *dict =
        result < 0 ? raise(rows.is_out_of_memory) : export_stacks(module, &rows, n_values);
    sg_stack_lines_free(&rows);
    return dict;
}

static PyObject *export_austin(PyObject *module, struct sg_austin_lines *austin) {
    const struct sg_text_lines *lines = &austin->lines;
    const struct column columns[] = {
        {"frame_begin", &austin->stacks.frames.start, SG_U32},
        {"frame_bytes", &austin->stacks.frames.length, SG_I32},
        {"thread_begin", &austin->threads.start, SG_U32},
        {"thread_bytes", &austin->threads.length, SG_I32},
        {"row_thread", &austin->row_thread, SG_I32},
        {"stack_start", &austin->stacks.start, SG_I64},
        {"stack", &austin->stacks.stack, SG_I32},
        {"sums", &austin->sums, SG_I64},
        {"remark_begin", &austin->remark_begin, SG_I64},
        {"remark_end", &austin->remark_end, SG_I64},
        {"remark_number", &austin->remark_number, SG_I64},
        {"timed_row", &austin->timed_row, SG_I32},
        {"begin_us", &austin->begin_us, SG_I64},
        {"time_us", &austin->time_us, SG_I64},
        {"memory_bytes", &austin->memory_bytes, SG_I64},
        {"is_idle", &austin->idle, SG_I32},
    };
    const struct number numbers[] = {
        {"none", -1},
        {"plain_from", austin->plain_from},
        {"misfit_number", austin->misfit ? lines->number : 0},
        {"misfit_begin", (int64_t)lines->begin},
        {"misfit_end", (int64_t)lines->end},
        {"has_overflow", austin->misfit == SG_AUSTIN_OVERFLOW},
        {"refused_bytes", (int64_t)lines->refused_bytes},
    };
    return export(module, columns, sizeof columns / sizeof *columns, numbers,
                  sizeof numbers / sizeof *numbers);
}

static PyObject *read_austin_lines(PyObject *module, PyObject *args) {
    PyObject *object, *callable;
    Py_ssize_t most_times;
    struct sg_array content = {0};
    struct sg_python_progress progress;
    struct sg_austin_lines austin;
    if (!PyArg_ParseTuple(args, "OnO:read_austin_lines", &object, &most_times, &callable))
        return NULL;
    if (most_times < 0) {
        PyErr_SetString(PyExc_ValueError, "most_times is below 0");
        return NULL;
    }
    if (sg_view(object, SG_BYTES, 0, "content", &content) < 0) {
        sg_drop(&content, 1);
        return NULL;
    }
    sg_init_progress(&progress, callable);
    sg_release_gil(&progress);
    int result = sg_austin_lines_read(&austin, content.buffer.buf, content.n, (size_t)most_times,
                                      &progress.progress);
    sg_take_gil(&progress);
    sg_drop(&content, 1);
    PyObject *dict = result < 0 ? raise(austin.is_out_of_memory) : export_austin(module, &austin);
    sg_austin_lines_free(&austin);
    return dict;
}

/* Decode the pieces of a text into a list. Returns NULL with an exception. */
static PyObject *decode(const struct sg_array *content, const int64_t *start, const int64_t *length,
                        size_t n) {
    PyObject *list = PyList_New((Py_ssize_t)n);
    const char *text = content->buffer.buf;
    for (size_t i = 0; list && i < n; i++) {
        PyObject *piece = NULL;
        if (start[i] < 0 || length[i] < 0 || (size_t)start[i] > content->n ||
            (size_t)length[i] > content->n - (size_t)start[i])
            PyErr_SetString(PyExc_ValueError, "a piece lies outside of the text");
        else
            piece = PyUnicode_DecodeUTF8(text + start[i], (Py_ssize_t)length[i], "replace");
        if (!piece || PyList_SetItem(list, (Py_ssize_t)i, piece) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *decode_pieces(PyObject *module, PyObject *args) {
    PyObject *objects[3], *list = NULL;
    struct sg_array arrays[3] = {0};
    if (!PyArg_ParseTuple(args, "OOO:decode_pieces", &objects[0], &objects[1], &objects[2]))
        return NULL;
    if (sg_view(objects[0], SG_BYTES, 0, "content", &arrays[0]) == 0 &&
        sg_view(objects[1], SG_I64, 0, "start", &arrays[1]) == 0 &&
        sg_view(objects[2], SG_I64, 0, "length", &arrays[2]) == 0) {
        if (arrays[1].n == arrays[2].n)
            list = decode(&arrays[0], arrays[1].buffer.buf, arrays[2].buffer.buf, arrays[1].n);
        else
            PyErr_SetString(PyExc_ValueError, "as many lengths as starts are needed");
    }
    sg_drop(arrays, 3);
    return list;
}

PyMethodDef sg_text_bindings[] = {
    {"read_stack_lines", read_stack_lines, METH_VARARGS, "Read collapsed stacks into columns."},
    {"read_austin_lines", read_austin_lines, METH_VARARGS, "Read Austin's text into columns."},
    {"decode_pieces", decode_pieces, METH_VARARGS, "Return the texts of pieces."},
    {NULL, NULL, 0, NULL},
};
