/* Copies label sets from the program's list, at most 512 in one call. The number of a set is its
 * index in the list. */
#include "labels/definitions.h"

#include <stdlib.h>
#include <string.h>

#include "interpreter/python_text.h"
#include "labels/labels.h"

enum { MOST_AT_ONCE = 512 }; /* sets: less than a millisecond of the GIL */

/* `pair` is (key, value). */
static void copy_label(struct sg_label_rows *rows, uint32_t set, PyObject *pair) {
    if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2)
        return;
    char *key = sg_python_text_copy(PyTuple_GetItem(pair, 0));
    char *value = sg_python_text_copy(PyTuple_GetItem(pair, 1));
    if (key && value && SG_ROWS_ADD(rows, (struct sg_label){set, key, value}))
        return;
    free(key);
    free(value);
}

static void copy_set(struct sg_label_rows *rows, uint32_t number, PyObject *set) {
    PyObject *pairs = sg_python_text_attribute(set, "pairs"); /* a slot: no code runs */
    for (Py_ssize_t i = 0; pairs && PyTuple_Check(pairs) && i < PyTuple_Size(pairs); i++)
        copy_label(rows, number, PyTuple_GetItem(pairs, i));
    Py_XDECREF(pairs);
    PyErr_Clear();
}

void sg_definitions_copy(uint32_t first, struct sg_label_rows *rows) {
    PyObject *list = sg_labels_list();
    Py_ssize_t n = list ? PyList_Size(list) : 0;
    rows->end = first;
    while (rows->end < n && rows->end - first < MOST_AT_ONCE) {
        copy_set(rows, rows->end, PyList_GetItem(list, (Py_ssize_t)rows->end));
        rows->end++;
    }
}

void sg_definitions_free(struct sg_label_rows *rows) {
    for (size_t i = 0; i < rows->n; i++) {
        free(rows->at[i].key);
        free(rows->at[i].value);
    }
    free(rows->at);
    memset(rows, 0, sizeof *rows);
}
