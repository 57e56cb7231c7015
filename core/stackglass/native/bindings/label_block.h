/* Label block: what each module object of the extension keeps for its label blocks. */
#ifndef STACKGLASS_BINDINGS_LABEL_BLOCK_H
#define STACKGLASS_BINDINGS_LABEL_BLOCK_H

#include <Python.h>

enum { SG_LABEL_MEMOS = 64 };

/* The result of adding one label, with a value of str or int, to a label set. It is found by the
 * identity of `parent`, `name` and `value`, without making a key and without a hash. All references
 * are owned; NULL = the memo is empty. */
struct sg_label_memo {
    PyObject *parent, *name, *value, *found;
};

/* All owned, NULL until make_label_block. Each interpreter has a module object of its own. */
struct sg_label_block_state {
    PyObject *variable; /* ContextVar: the current label set */
    PyObject *cache;    /* dict: (label set, key, value …) → that set with these labels added */
    PyObject *add;      /* function that makes such a set if it is not in the cache */
    PyObject *decorate; /* function that a block calls when it is used as a decorator */
    struct sg_label_memo memos[SG_LABEL_MEMOS];
};

/* The module's m_traverse and m_clear. */
int sg_label_block_traverse(PyObject *module, visitproc visit, void *arg);
int sg_label_block_clear(PyObject *module);

#endif
