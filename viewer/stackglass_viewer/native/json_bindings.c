/* Python bindings of json_items.h, json_numbers.h and json_table.h. */
#include "bindings.h"
#include "json_items.h"
#include "json_numbers.h"
#include "json_table.h"

static PyObject *find_items_end(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *object;
    Py_ssize_t at, n_bytes;
    struct sg_array content = {0};
    if (!PyArg_ParseTuple(args, "Onn:find_items_end", &object, &at, &n_bytes))
        return NULL;
    if (sg_view(object, SG_BYTES, 0, "content", &content) < 0) {
        sg_drop(&content, 1);
        return NULL;
    }
    if (at < 0 || (size_t)at > content.n || n_bytes < 0) {
        sg_drop(&content, 1);
        PyErr_SetString(PyExc_ValueError, "a place is out of range");
        return NULL;
    }
    size_t end;
    PyThreadState *saved = PyEval_SaveThread();
    end = sg_json_items_end(content.buffer.buf, content.n, (size_t)at, (size_t)n_bytes);
    PyEval_RestoreThread(saved);
    sg_drop(&content, 1);
    return PyLong_FromSize_t(end);
}

typedef enum sg_json_numbers read_numbers(const unsigned char *content, size_t size,
                                          struct sg_vector *column);

/* Return the numbers in content[begin:end] as a column; None if `read` finds another form. */
static PyObject *read_column(PyObject *module, PyObject *args, read_numbers *read,
                             enum sg_kind kind) {
    PyObject *object;
    Py_ssize_t begin, end;
    struct sg_array content = {0};
    if (!PyArg_ParseTuple(args, "Onn", &object, &begin, &end))
        return NULL;
    if (sg_view(object, SG_BYTES, 0, "content", &content) < 0) {
        sg_drop(&content, 1);
        return NULL;
    }
    if (begin < 0 || begin > end || (size_t)end > content.n) {
        sg_drop(&content, 1);
        PyErr_SetString(PyExc_ValueError, "a place is out of range");
        return NULL;
    }
    struct sg_vector column = {0};
    const unsigned char *bytes = content.buffer.buf;
    enum sg_json_numbers result;
    PyThreadState *saved = PyEval_SaveThread();
    result = read(bytes + begin, (size_t)(end - begin), &column);
    PyEval_RestoreThread(saved);
    sg_drop(&content, 1);
    if (result == SG_JSON_READ)
        return sg_export(module, &column, kind);
    sg_release(&column);
    if (result == SG_JSON_NO_MEMORY)
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *read_rows(PyObject *module, PyObject *args) {
    return read_column(module, args, sg_json_read_rows, SG_I64);
}

static PyObject *read_floats(PyObject *module, PyObject *args) {
    return read_column(module, args, sg_json_read_floats, SG_F64);
}

/* Fill `fields` from a tuple of names. A field is a list if its name ends with "[]". The fields
 * point into `names`. Returns the number of fields, or -1 with an error set. */
static Py_ssize_t find_fields(PyObject *names, struct sg_json_field *fields) {
    Py_ssize_t n = PyTuple_Size(names);
    if (n < 0)
        return -1;
    if (n == 0 || n > SG_JSON_MOST_FIELDS) {
        PyErr_SetString(PyExc_ValueError, "too few or too many fields");
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        char *name;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(names, i), &name, &size) < 0)
            return -1;
        int is_list = size > 2 && name[size - 2] == '[' && name[size - 1] == ']';
        size_t n_bytes = (size_t)size - (is_list ? 2 : 0);
        fields[i] = (struct sg_json_field){name, n_bytes, is_list, {0}, {0}};
    }
    return n;
}

static PyObject *export_table(PyObject *module, struct sg_json_field *fields, Py_ssize_t n) {
    PyObject *columns = PyTuple_New(2 * n);
    for (Py_ssize_t i = 0; columns && i < n; i++) {
        PyObject *count = sg_export(module, &fields[i].count, SG_I32);
        PyObject *number = sg_export(module, &fields[i].number, SG_I64);
        if (!count || !number) {
            Py_XDECREF(count);
            Py_XDECREF(number);
            Py_CLEAR(columns);
            break;
        }
        PyTuple_SetItem(columns, 2 * i, count);
        PyTuple_SetItem(columns, 2 * i + 1, number);
    }
    return columns;
}

static PyObject *read_table(PyObject *module, PyObject *args) {
    PyObject *object, *names;
    Py_ssize_t begin, end;
    struct sg_array content = {0};
    if (!PyArg_ParseTuple(args, "OnnO!:read_json_table", &object, &begin, &end, &PyTuple_Type,
                          &names))
        return NULL;
    struct sg_json_field fields[SG_JSON_MOST_FIELDS];
    Py_ssize_t n = find_fields(names, fields);
    if (n < 0 || sg_view(object, SG_BYTES, 0, "content", &content) < 0) {
        sg_drop(&content, 1);
        return NULL;
    }
    if (begin < 0 || begin > end || (size_t)end > content.n) {
        sg_drop(&content, 1);
        PyErr_SetString(PyExc_ValueError, "a place is out of range");
        return NULL;
    }
    const unsigned char *bytes = content.buffer.buf;
    enum sg_json_numbers result;
    PyThreadState *saved = PyEval_SaveThread();
    result = sg_json_read_table(bytes + begin, (size_t)(end - begin), fields, (size_t)n);
    PyEval_RestoreThread(saved);
    sg_drop(&content, 1);
    PyObject *columns = NULL;
    if (result == SG_JSON_READ)
        columns = export_table(module, fields, n);
    else if (result == SG_JSON_NO_MEMORY)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < n; i++) {
        sg_release(&fields[i].count);
        sg_release(&fields[i].number);
    }
    if (result == SG_JSON_OTHER)
        Py_RETURN_NONE;
    return columns;
}

PyMethodDef sg_json_bindings[] = {
    {"find_items_end", find_items_end, METH_VARARGS, "Find where items of JSON end."},
    {"read_json_rows", read_rows, METH_VARARGS, "Read a list of integers."},
    {"read_json_floats", read_floats, METH_VARARGS, "Read a list of decimals."},
    {"read_json_table", read_table, METH_VARARGS, "Read integers of a list of objects."},
    {NULL, NULL, 0, NULL},
};
