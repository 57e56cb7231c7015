/* Label memos: the results of adding one plain label to a label set, found by identity, without
 * making a key and without a hash.
 *
 * Every call needs the GIL. */
#ifndef STACKGLASS_BINDINGS_LABEL_MEMOS_H
#define STACKGLASS_BINDINGS_LABEL_MEMOS_H

#include <Python.h>

enum { SG_LABEL_MEMOS = 64 };

/* The result of adding the label `name` = `value`, plain objects, to the label set `parent`. All
 * references are owned; NULL = the memo is empty. */
struct sg_label_memo {
    PyObject *parent, *name, *value, *found;
};

/* Direct-mapped: each of the three has one place. */
struct sg_label_memos {
    struct sg_label_memo at[SG_LABEL_MEMOS];
};

/* Return the result for these three objects, borrowed, or NULL if it is not there. */
PyObject *sg_label_memos_find(struct sg_label_memos *memos, PyObject *parent, PyObject *name,
                              PyObject *value);
/* Keep `found` as the result for these three objects, instead of what has the same place. */
void sg_label_memos_keep(struct sg_label_memos *memos, PyObject *parent, PyObject *name,
                         PyObject *value, PyObject *found);
int sg_label_memos_traverse(const struct sg_label_memos *memos, visitproc visit, void *arg);
void sg_label_memos_clear(struct sg_label_memos *memos);

#endif
