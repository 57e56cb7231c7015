/* Bindings of the protobuf encoder, for the pprof builder: one call encodes up to a whole table,
 * and returns bytes.
 *
 * Columns come as `bytes` of native integers (array.tobytes()): the buffer protocol is not in the
 * limited API before 3.11. Everything here runs with the GIL held and keeps nothing. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

#include "bindings/method_tables.h"
#include "platform/encoder.h"

enum { MAX_COLUMNS = 16, SAMPLE_STACK = 1, SAMPLE_VALUES = 2 };

/* A column of integers: the content of a bytes object, borrowed from the call's arguments. Read
 * with memcpy, because bytes promise no alignment. */
struct column {
    uint32_t field;
    const char *bytes;
    size_t n;
};

static uint64_t read_u64(const char *bytes, size_t i) {
    uint64_t value;
    memcpy(&value, bytes + i * sizeof value, sizeof value);
    return value;
}

static uint32_t read_u32(const char *bytes, size_t i) {
    uint32_t value;
    memcpy(&value, bytes + i * sizeof value, sizeof value);
    return value;
}

/* View `object`, a bytes of integers of `width` bytes, as a column. Returns 0, or -1 with an
 * exception set. */
static int view_column(PyObject *object, size_t width, struct column *column) {
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(object, &bytes, &size) < 0)
        return -1;
    if ((size_t)size % width) {
        PyErr_Format(PyExc_ValueError, "a column of %zu-byte integers has %zd bytes", width, size);
        return -1;
    }
    column->bytes = bytes;
    column->n = (size_t)size / width;
    return 0;
}

static int check_field(unsigned long field) {
    if (field > 0 && field < 1UL << 29)
        return 0;
    PyErr_Format(PyExc_ValueError, "%lu is not a field number", field);
    return -1;
}

/* Return the content of the buffer as a bytes object, and free the buffer. Raises MemoryError if
 * the buffer has failed. */
static PyObject *finish(struct sg_buffer *buffer) {
    PyObject *result = NULL;
    if (buffer->failed)
        PyErr_NoMemory();
    else
        result = PyBytes_FromStringAndSize((const char *)buffer->bytes, (Py_ssize_t)buffer->size);
    sg_encoder_buffer_free(buffer);
    return result;
}

static PyObject *encode_int(PyObject *module, PyObject *arguments) {
    unsigned long field;
    long long value;
    if (!PyArg_ParseTuple(arguments, "kL", &field, &value) || check_field(field) < 0)
        return NULL;
    struct sg_buffer buffer = {0};
    sg_encoder_put_int(&buffer, (uint32_t)field, value);
    return finish(&buffer);
}

static PyObject *encode_bytes(PyObject *module, PyObject *arguments) {
    unsigned long field;
    const char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(arguments, "ky#", &field, &bytes, &size) || check_field(field) < 0)
        return NULL;
    struct sg_buffer buffer = {0};
    sg_encoder_put_string_element(&buffer, (uint32_t)field, bytes, (size_t)size);
    return finish(&buffer);
}

static PyObject *encode_frame(PyObject *module, PyObject *arguments) {
    const char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(arguments, "y#", &bytes, &size))
        return NULL;
    struct sg_buffer buffer = {0};
    size_t frame = sg_encoder_begin_frame(&buffer);
    sg_encoder_put_raw(&buffer, bytes, (size_t)size);
    sg_encoder_end_message(&buffer, frame);
    return finish(&buffer);
}

static PyObject *encode_strings(PyObject *module, PyObject *arguments) {
    unsigned long field;
    PyObject *strings;
    if (!PyArg_ParseTuple(arguments, "kO!", &field, &PyList_Type, &strings) ||
        check_field(field) < 0)
        return NULL;
    struct sg_buffer buffer = {0};
    for (Py_ssize_t i = 0; i < PyList_Size(strings); i++) {
        /* A lone surrogate (an undecodable byte of a file name) has no UTF-8; it becomes "?". */
        PyObject *utf8 = PyUnicode_AsEncodedString(PyList_GetItem(strings, i), "utf-8", "replace");
        char *bytes;
        Py_ssize_t size;
        if (!utf8 || PyBytes_AsStringAndSize(utf8, &bytes, &size) < 0) {
            Py_XDECREF(utf8);
            sg_encoder_buffer_free(&buffer);
            return NULL;
        }
        sg_encoder_put_string_element(&buffer, (uint32_t)field, bytes, (size_t)size);
        Py_DECREF(utf8);
    }
    return finish(&buffer);
}

/* View a tuple of (field, bytes) pairs as columns of `*n` rows each. If `*n` is SIZE_MAX, the first
 * column sets it. Returns the number of columns, or -1 with an exception set. */
static int view_columns(PyObject *pairs, struct column *columns, size_t *n) {
    Py_ssize_t size = PyTuple_Size(pairs);
    if (size < 0)
        return -1;
    if (size > MAX_COLUMNS) {
        PyErr_Format(PyExc_ValueError, "more than %d columns", MAX_COLUMNS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        unsigned long field;
        PyObject *values;
        PyObject *pair = PyTuple_GetItem(pairs, i);
        if (!PyTuple_Check(pair)) {
            PyErr_SetString(PyExc_TypeError, "a column is a tuple of field and bytes");
            return -1;
        }
        if (!PyArg_ParseTuple(pair, "kO", &field, &values) || check_field(field) < 0 ||
            view_column(values, sizeof(uint64_t), &columns[i]) < 0)
            return -1;
        columns[i].field = (uint32_t)field;
        if (*n == SIZE_MAX)
            *n = columns[i].n;
        if (columns[i].n != *n) {
            PyErr_SetString(PyExc_ValueError, "columns of one table have equal lengths");
            return -1;
        }
    }
    return (int)size;
}

static void put_row(struct sg_buffer *buffer, const struct column *columns, int n_columns,
                    size_t row) {
    for (int i = 0; i < n_columns; i++)
        sg_encoder_put_uint(buffer, columns[i].field, read_u64(columns[i].bytes, row));
}

static PyObject *encode_rows(PyObject *module, PyObject *arguments) {
    unsigned long field;
    unsigned long nested_field = 0;
    PyObject *pairs;
    PyObject *nested_pairs = NULL;
    struct column columns[MAX_COLUMNS];
    struct column nested[MAX_COLUMNS];
    int n_columns;
    int n_nested = 0;
    size_t n = SIZE_MAX;
    if (!PyArg_ParseTuple(arguments, "kO!|kO!", &field, &PyTuple_Type, &pairs, &nested_field,
                          &PyTuple_Type, &nested_pairs) ||
        check_field(field) < 0 || (n_columns = view_columns(pairs, columns, &n)) < 0)
        return NULL;
    if (nested_pairs &&
        (check_field(nested_field) < 0 || (n_nested = view_columns(nested_pairs, nested, &n)) < 0))
        return NULL;
    struct sg_buffer buffer = {0};
    for (size_t row = 0; n != SIZE_MAX && row < n && !buffer.failed; row++) {
        size_t message = sg_encoder_begin_message(&buffer, (uint32_t)field);
        put_row(&buffer, columns, n_columns, row);
        if (n_nested) {
            size_t inner = sg_encoder_begin_message(&buffer, (uint32_t)nested_field);
            put_row(&buffer, nested, n_nested, row);
            sg_encoder_end_message(&buffer, inner);
        }
        sg_encoder_end_message(&buffer, message);
    }
    return finish(&buffer);
}

/* The tables of encode_samples, borrowed from the call's arguments. */
struct sample_tables {
    struct column parents;             /* u32 (n_nodes,) */
    struct column locations;           /* u32 (n_nodes,) */
    struct column nodes;               /* u32 (n_samples,) */
    struct column labels;              /* u32 (n_samples,) */
    struct column values[MAX_COLUMNS]; /* u64 (n_samples,) */
    int n_values;
    PyObject *label_sets; /* tuple of bytes */
};

/* Check that no index is out of bounds, and that each parent comes before its child, so that the
 * walk to the root ends. Returns 0, or -1 with an exception set. */
static int check_tables(const struct sample_tables *tables) {
    size_t n_samples = tables->nodes.n;
    size_t n_sets = (size_t)PyTuple_Size(tables->label_sets);
    const char *wrong = NULL;
    if (tables->parents.n != tables->locations.n || tables->labels.n != n_samples)
        wrong = "columns of one table have equal lengths";
    for (int i = 0; i < tables->n_values; i++)
        if (tables->values[i].n != n_samples)
            wrong = "columns of one table have equal lengths";
    for (size_t i = 1; !wrong && i < tables->parents.n; i++)
        if (read_u32(tables->parents.bytes, i) >= i)
            wrong = "a stack node comes before its parent";
    for (size_t i = 0; !wrong && i < n_samples; i++)
        if (read_u32(tables->nodes.bytes, i) >= tables->parents.n ||
            read_u32(tables->labels.bytes, i) >= n_sets)
            wrong = "a sample refers to an undefined stack node or label set";
    for (size_t i = 0; !wrong && i < n_sets; i++)
        if (!PyBytes_Check(PyTuple_GetItem(tables->label_sets, (Py_ssize_t)i)))
            wrong = "a label set is bytes";
    if (!wrong)
        return 0;
    PyErr_SetString(PyExc_ValueError, wrong);
    return -1;
}

static void put_sample(struct sg_buffer *buffer, uint32_t field, const struct sample_tables *tables,
                       size_t row) {
    size_t message = sg_encoder_begin_message(buffer, field);
    uint32_t node = read_u32(tables->nodes.bytes, row);
    if (node) {
        size_t stack = sg_encoder_begin_message(buffer, SAMPLE_STACK);
        for (; node; node = read_u32(tables->parents.bytes, node))
            sg_encoder_put_varint(buffer, (uint64_t)read_u32(tables->locations.bytes, node) + 1);
        sg_encoder_end_message(buffer, stack);
    }
    size_t values = sg_encoder_begin_message(buffer, SAMPLE_VALUES);
    for (int i = 0; i < tables->n_values; i++)
        sg_encoder_put_varint(buffer, read_u64(tables->values[i].bytes, row));
    sg_encoder_end_message(buffer, values);
    PyObject *labels = /* borrowed from the tuple */
        PyTuple_GetItem(tables->label_sets, (Py_ssize_t)read_u32(tables->labels.bytes, row));
    sg_encoder_put_raw(buffer, PyBytes_AsString(labels), (size_t)PyBytes_Size(labels));
    sg_encoder_end_message(buffer, message);
}

static PyObject *encode_samples(PyObject *module, PyObject *arguments) {
    unsigned long field;
    PyObject *parents, *locations, *nodes, *values, *labels;
    struct sample_tables tables = {0};
    if (!PyArg_ParseTuple(arguments, "kOOOO!OO!", &field, &parents, &locations, &nodes,
                          &PyTuple_Type, &values, &labels, &PyTuple_Type, &tables.label_sets) ||
        check_field(field) < 0 || view_column(parents, sizeof(uint32_t), &tables.parents) < 0 ||
        view_column(locations, sizeof(uint32_t), &tables.locations) < 0 ||
        view_column(nodes, sizeof(uint32_t), &tables.nodes) < 0 ||
        view_column(labels, sizeof(uint32_t), &tables.labels) < 0)
        return NULL;
    tables.n_values = (int)PyTuple_Size(values);
    if (tables.n_values > MAX_COLUMNS)
        return PyErr_Format(PyExc_ValueError, "more than %d columns", MAX_COLUMNS);
    for (int i = 0; i < tables.n_values; i++)
        if (view_column(PyTuple_GetItem(values, i), sizeof(uint64_t), &tables.values[i]) < 0)
            return NULL;
    if (check_tables(&tables) < 0)
        return NULL;
    struct sg_buffer buffer = {0};
    for (size_t row = 0; row < tables.nodes.n && !buffer.failed; row++)
        put_sample(&buffer, (uint32_t)field, &tables, row);
    return finish(&buffer);
}

PyMethodDef sg_encoder_bindings[] = {
    {"encode_int", encode_int, METH_VARARGS,
     "encode_int(field, value): encode an int64; no bytes if it is 0."},
    {"encode_bytes", encode_bytes, METH_VARARGS,
     "encode_bytes(field, content): encode a string or a message, even if it is empty."},
    {"encode_frame", encode_frame, METH_VARARGS,
     "encode_frame(message): put the message's length in front of it."},
    {"encode_strings", encode_strings, METH_VARARGS,
     "encode_strings(field, strings): encode a repeated string; characters without UTF-8\n"
     "become '?'."},
    {"encode_rows", encode_rows, METH_VARARGS,
     "encode_rows(field, columns[, nested_field, nested_columns]): encode a message for each row,\n"
     "with a nested message of the nested columns."},
    {"encode_samples", encode_samples, METH_VARARGS,
     "encode_samples(field, parents, locations, nodes, values, labels, label_sets): encode\n"
     "pprof's samples with stacks from a tree of stacks."},
    {NULL, NULL, 0, NULL},
};
