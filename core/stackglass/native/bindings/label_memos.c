/* A direct-mapped table. Names and values are plain objects (`is_plain` in label_block.c): they
 * cannot change, so that identity is equality for as long as a memo owns them. */
#include "bindings/label_memos.h"

#include <stdbool.h>
#include <stdint.h>

static struct sg_label_memo *place_of(struct sg_label_memos *memos, const PyObject *parent,
                                      const PyObject *name, const PyObject *value) {
    uintptr_t mixed = ((uintptr_t)parent >> 4) ^ ((uintptr_t)name >> 5) ^ ((uintptr_t)value >> 4);
    return &memos->at[(mixed ^ mixed >> 6) % SG_LABEL_MEMOS];
}

PyObject *sg_label_memos_find(struct sg_label_memos *memos, PyObject *parent, PyObject *name,
                              PyObject *value) {
    const struct sg_label_memo *memo = place_of(memos, parent, name, value);
    bool is_it = memo->parent == parent && memo->name == name && memo->value == value;
    return is_it ? memo->found : NULL;
}

static void clear_memo(struct sg_label_memo *memo) {
    struct sg_label_memo old = *memo;
    *memo = (struct sg_label_memo){0};
    Py_XDECREF(old.parent);
    Py_XDECREF(old.name);
    Py_XDECREF(old.value);
    Py_XDECREF(old.found);
}

void sg_label_memos_keep(struct sg_label_memos *memos, PyObject *parent, PyObject *name,
                         PyObject *value, PyObject *found) {
    struct sg_label_memo *memo = place_of(memos, parent, name, value);
    clear_memo(memo);
    Py_INCREF(parent);
    Py_INCREF(name);
    Py_INCREF(value);
    Py_INCREF(found);
    *memo = (struct sg_label_memo){parent, name, value, found};
}

int sg_label_memos_traverse(const struct sg_label_memos *memos, visitproc visit, void *arg) {
    for (size_t i = 0; i < SG_LABEL_MEMOS; i++) { /* names and values refer to nothing */
        Py_VISIT(memos->at[i].parent);
        Py_VISIT(memos->at[i].found);
    }
    return 0;
}

void sg_label_memos_clear(struct sg_label_memos *memos) {
    for (size_t i = 0; i < SG_LABEL_MEMOS; i++)
        clear_memo(&memos->at[i]);
}
