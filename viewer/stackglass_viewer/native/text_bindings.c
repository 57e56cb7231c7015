/* Lines of large text, as Python sees them. */
#include "bindings.h"
#include "stack_lines.h"

static int export_number(PyObject *dict, const char *name, int64_t number) {
    PyObject *value = PyLong_FromLongLong(number);
    int result = value ? PyDict_SetItemString(dict, name, value) : -1;
    Py_XDECREF(value);
    return result;
}

static int export_stacks(PyObject *module, PyObject *dict, struct sg_stack_lines *stacks,
                         int n_values) {
    static const char *const VALUES[SG_MOST_STACK_VALUES] = {"value_0", "value_1"};
    const struct {
        const char *name;
        struct sg_vector *column;
        enum sg_kind kind;
    } columns[] = {
        {"piece_start", &stacks->pieces.start, SG_I64},
        {"piece_length", &stacks->pieces.length, SG_I32},
        {"stack_start", &stacks->stack_start, SG_I64},
        {"stack", &stacks->stack, SG_I32},
        {"odd_row", &stacks->odd_row, SG_I64},
        {"odd_begin", &stacks->odd_begin, SG_I64},
        {"odd_end", &stacks->odd_end, SG_I64},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (sg_export_into(module, dict, columns[i].name, columns[i].column, columns[i].kind) < 0)
            return -1;
    for (int i = 0; i < n_values; i++)
        if (sg_export_into(module, dict, VALUES[i], &stacks->values[i], SG_I64) < 0)
            return -1;
    const struct sg_text_lines *lines = &stacks->lines;
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {
        {"none", stacks->none},
        {"has_fractions", stacks->has_fractions},
        {"misfit_number", stacks->has_misfit ? lines->number : 0},
        {"misfit_begin", stacks->has_misfit ? (int64_t)lines->begin : 0},
        {"misfit_end", stacks->has_misfit ? (int64_t)lines->end : 0},
        {"refused_bytes", (int64_t)lines->refused_bytes},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (export_number(dict, numbers[i].name, numbers[i].value) < 0)
            return -1;
    return 0;
}

static PyObject *read_stack_lines(PyObject *module, PyObject *args) {
    PyObject *object, *callable;
    int n_values;
    struct sg_array content = {0};
    struct sg_python_progress progress;
    struct sg_stack_lines stacks;
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
        sg_stack_lines_read(&stacks, content.buffer.buf, content.n, n_values, &progress.progress);
    sg_take_gil(&progress);
    sg_drop(&content, 1);
    PyObject *dict = NULL;
    if (result == 0) {
        if ((dict = PyDict_New()) && export_stacks(module, dict, &stacks, n_values) < 0)
            Py_CLEAR(dict);
    } else if (stacks.is_out_of_memory) {
        PyErr_NoMemory();
    } else if (!PyErr_Occurred()) {
        PyErr_SetNone(PyExc_InterruptedError);
    }
    sg_stack_lines_free(&stacks);
    return dict;
}

PyMethodDef sg_text_bindings[] = {
    {"read_stack_lines", read_stack_lines, METH_VARARGS, "Collapsed stacks to columns."},
    {NULL, NULL, 0, NULL},
};
