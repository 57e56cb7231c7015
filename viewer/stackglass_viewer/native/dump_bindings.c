/* Lines of dumps, as Python sees them. */
#include "bindings.h"
#include "dump_lines.h"

static PyObject *export_lines(PyObject *module, struct sg_dump_lines *dump) {
    const struct {
        const char *name;
        struct sg_vector *column;
        enum sg_kind kind;
    } columns[] = {
        {"kind", &dump->kind, SG_BYTES},
        {"piece", &dump->piece, SG_I32},
        {"number", &dump->number, SG_I64},
        {"state_start", &dump->states.start, SG_I64},
        {"state_length", &dump->states.length, SG_I32},
        {"call_start", &dump->calls.start, SG_I64},
        {"call_length", &dump->calls.length, SG_I32},
        {"other_start", &dump->others.start, SG_I64},
        {"other_length", &dump->others.length, SG_I32},
    };
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < sizeof columns / sizeof *columns; i++)
        if (sg_export_into(module, dict, columns[i].name, columns[i].column, columns[i].kind) < 0)
            Py_CLEAR(dict);
    return dict ? Py_BuildValue("Nn", dict, (Py_ssize_t)dump->lines.refused_bytes) : NULL;
}

static PyObject *read_dump_lines(PyObject *module, PyObject *args) {
    PyObject *content, *callable;
    int has_goroutines;
    struct sg_array array = {0};
    struct sg_python_progress progress;
    struct sg_dump_lines dump;
    if (!PyArg_ParseTuple(args, "OpO:read_dump_lines", &content, &has_goroutines, &callable))
        return NULL;
    if (sg_view(content, SG_BYTES, 0, "content", &array) < 0) {
        sg_drop(&array, 1);
        return NULL;
    }
    sg_init_progress(&progress, callable);
    sg_release_gil(&progress);
    int result =
        sg_dump_lines_read(&dump, array.buffer.buf, array.n, has_goroutines, &progress.progress);
    sg_take_gil(&progress);
    sg_drop(&array, 1);
    PyObject *found = NULL;
    if (result == 0)
        found = export_lines(module, &dump);
    else if (result == -1)
        PyErr_NoMemory();
    else if (!PyErr_Occurred())
        PyErr_SetNone(PyExc_InterruptedError);
    sg_dump_lines_free(&dump);
    return found;
}

PyMethodDef sg_dump_bindings[] = {
    {"read_dump_lines", read_dump_lines, METH_VARARGS, "Lines of dumps of stacks."},
    {NULL, NULL, 0, NULL},
};
