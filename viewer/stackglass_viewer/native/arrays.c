/* Checked views of the caller's arrays, progress reports to a Python callable, and both for a loop
 * that reads text from a place on. */
#include <string.h>

#include "bindings.h"

static size_t width_of(enum sg_kind kind) {
    switch (kind) {
    case SG_BYTES:
    case SG_BOOL:
        return 1;
    case SG_I32:
    case SG_U32:
        return 4;
    default:
        return 8;
    }
}

/* Return the format letters of the struct module that `kind` accepts. numpy has two for an integer:
 * a 64-bit one is `l` or `q`, depending on the platform. */
static const char *letters_of(enum sg_kind kind) {
    switch (kind) {
    case SG_BYTES:
        return "Bbc";
    case SG_BOOL:
        return "?";
    case SG_I32:
        return "il";
    case SG_U32:
        return "IL";
    case SG_I64:
        return "lq";
    case SG_U64:
        return "LQ";
    default:
        return "d";
    }
}

int sg_view(PyObject *object, enum sg_kind kind, int is_writable, const char *name,
            struct sg_array *array) {
    Py_buffer *buffer = &array->buffer;
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (is_writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, buffer, flags) < 0) {
        memset(buffer, 0, sizeof *buffer);
        return -1;
    }
    size_t width = width_of(kind);
    const char *format = buffer->format ? buffer->format : "B";
    if ((size_t)buffer->itemsize != width || strlen(format) != 1 ||
        !strchr(letters_of(kind), format[0])) {
        PyErr_Format(PyExc_TypeError, "%s: items of kind '%s', not one of '%s'", name, format,
                     letters_of(kind));
        return -1; /* the caller releases this view with its others */
    }
    array->n = (size_t)buffer->len / width;
    return 0;
}

void sg_drop(struct sg_array *arrays, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (arrays[i].buffer.obj)
            PyBuffer_Release(&arrays[i].buffer);
}

static int ask_python(struct sg_progress *base, double done) {
    struct sg_python_progress *progress = (struct sg_python_progress *)(void *)base;
    if (progress->is_stopped)
        return -1;
    sg_take_gil(progress);
    PyObject *answer = PyObject_CallFunction(progress->callable, "d", done);
    int goes_on = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    if (goes_on <= 0)
        progress->is_stopped = 1;
    sg_release_gil(progress);
    return progress->is_stopped ? -1 : 0;
}

void sg_init_progress(struct sg_python_progress *progress, PyObject *callable) {
    progress->progress.report = ask_python;
    progress->callable = callable;
    progress->state = NULL;
    progress->is_stopped = 0;
}

void sg_release_gil(struct sg_python_progress *progress) { progress->state = PyEval_SaveThread(); }

void sg_take_gil(struct sg_python_progress *progress) { PyEval_RestoreThread(progress->state); }

int sg_read_from(PyObject *args, const char *format, sg_read_from_fn *read, void *out) {
    PyObject *content, *callable;
    Py_ssize_t at;
    long long number;
    struct sg_array array = {0};
    struct sg_python_progress progress;
    if (!PyArg_ParseTuple(args, format, &content, &at, &number, &callable))
        return -1;
    if (sg_view(content, SG_BYTES, 0, "content", &array) < 0) {
        sg_drop(&array, 1);
        return -1;
    }
    if (at < 0 || (size_t)at > array.n) {
        sg_drop(&array, 1);
        PyErr_SetString(PyExc_ValueError, "a place is out of range");
        return -1;
    }
    sg_init_progress(&progress, callable);
    sg_release_gil(&progress);
    int result = read(out, array.buffer.buf, array.n, (size_t)at, number, &progress.progress);
    sg_take_gil(&progress);
    sg_drop(&array, 1);
    if (result == -1)
        PyErr_NoMemory();
    else if (result && !PyErr_Occurred())
        PyErr_SetNone(PyExc_InterruptedError);
    return result ? -1 : 0;
}
