/* Hash tables and files of /proc of the platform room, for tests. */
#include "tables.h"

#include "platform/hash_index.h"
#include "platform/hash_table.h"
#include "platform/proc_files.h"
#include "values.h"

struct counted {
    uint64_t key, n;
};

static PyObject *hash_table_count(PyObject *self, PyObject *keys) {
    struct sg_hash_table table = {.entry_bytes = sizeof(struct counted)};
    PyObject *rows = PyList_New(0);
    for (Py_ssize_t i = 0; rows && i < PyList_Size(keys); i++) {
        struct counted *counted =
            sg_hash_table_add(&table, PyLong_AsUnsignedLongLong(PyList_GetItem(keys, i)));
        if (counted)
            counted->n++;
    }
    const struct counted *counted;
    for (size_t place = 0; rows && (counted = sg_hash_table_next(&table, &place));)
        sg_values_append(&rows, Py_BuildValue("(KK)", (unsigned long long)counted->key,
                                              (unsigned long long)counted->n));
    sg_hash_table_free(&table);
    return rows;
}

/* Each item is its own hash; they are compared as Python compares them. */
static bool is_same(uint32_t number, const void *key) {
    PyObject *const *wanted = key; /* the list, the item */
    return PyObject_RichCompareBool(PyList_GetItem(wanted[0], number), wanted[1], Py_EQ) == 1;
}

static PyObject *hash_index_first(PyObject *self, PyObject *args) {
    PyObject *items, *positions = PyList_New(0);
    unsigned int mask;
    struct sg_hash_index index = {0};
    if (!positions || !PyArg_ParseTuple(args, "O!I:hash_index_first", &PyList_Type, &items, &mask))
        return positions;
    for (Py_ssize_t i = 0; positions && i < PyList_Size(items); i++) {
        PyObject *const wanted[] = {items, PyList_GetItem(items, i)};
        uint32_t hash = (uint32_t)PyLong_AsUnsignedLong(wanted[1]) & mask;
        uint32_t first = sg_hash_index_find(&index, hash, is_same, wanted);
        if (first == UINT32_MAX && sg_hash_index_reserve(&index))
            sg_hash_index_put(&index, hash, first = (uint32_t)i);
        sg_values_append(&positions, PyLong_FromUnsignedLong(first));
    }
    sg_hash_index_discard(&index);
    return positions;
}

static PyObject *status_number(PyObject *self, PyObject *args) {
    char status[SG_STATUS_BYTES];
    const char *label;
    if (!PyArg_ParseTuple(args, "s:status_number", &label))
        return NULL;
    sg_proc_files_read_status(0, status);
    return PyLong_FromUnsignedLongLong(sg_proc_files_number(status, label));
}

/* Constant; not const for the API's sake. */
PyMethodDef sg_platform_bindings[] = {
    {"hash_table_count", hash_table_count, METH_O, NULL},
    {"status_number", status_number, METH_VARARGS,
     "status_number(label) -> the number after a label in the thread's status"},
    {"hash_index_first", hash_index_first, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
