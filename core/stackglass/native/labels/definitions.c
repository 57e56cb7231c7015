/* Copies label sets from the program's list. A set with only some of its labels would be a wrong
 * definition, and definitions are final. So a set that cannot be copied whole has no rows. */
#include "labels/definitions.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter/python_text.h"
#include "labels/labels.h"

enum { MOST_AT_ONCE = 512 }; /* sets: less than a millisecond of the GIL */

/* Drop the rows from row `n` on. */
static void cut(struct sg_label_rows *rows, size_t n) {
    while (rows->n > n) {
        struct sg_label *label = &rows->at[--rows->n];
        free(label->key);
        free(label->value);
    }
}

/* `pair` is (key, value). Returns false, with nothing added, if it is not or memory is short. */
static bool copy_label(struct sg_label_rows *rows, uint32_t set, PyObject *pair) {
    if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2)
        return false;
    char *key = sg_python_text_copy(PyTuple_GetItem(pair, 0));
    char *value = sg_python_text_copy(PyTuple_GetItem(pair, 1));
    if (key && value && SG_ROWS_ADD(rows, (struct sg_label){set, key, value}))
        return true;
    free(key);
    free(value);
    return false;
}

static void copy_set(struct sg_label_rows *rows, uint32_t number, PyObject *set) {
    PyObject *pairs = sg_python_text_attribute(set, "pairs"); /* a slot: no code runs */
    Py_ssize_t n = pairs && PyTuple_Check(pairs) ? PyTuple_Size(pairs) : 0;
    size_t n_before = rows->n;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!copy_label(rows, number, PyTuple_GetItem(pairs, i))) {
            cut(rows, n_before);
            break;
        }
    }
    Py_XDECREF(pairs);
    PyErr_Clear();
}

void sg_label_definitions_copy(uint32_t first, struct sg_label_rows *rows) {
    PyObject *list = sg_labels_list();
    Py_ssize_t n = list ? PyList_Size(list) : 0;
    rows->end = first;
    while (rows->end < n && rows->end - first < MOST_AT_ONCE) {
        copy_set(rows, rows->end, PyList_GetItem(list, (Py_ssize_t)rows->end));
        rows->end++;
    }
}

void sg_label_definitions_free(struct sg_label_rows *rows) {
    cut(rows, 0);
    free(rows->at);
    memset(rows, 0, sizeof *rows);
}
