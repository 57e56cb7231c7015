/* Label block: what each module object of the extension keeps for its label blocks. */
#ifndef STACKGLASS_BINDINGS_LABEL_BLOCK_H
#define STACKGLASS_BINDINGS_LABEL_BLOCK_H

#include <Python.h>

#include "bindings/label_memos.h"

/* All owned, NULL until make_label_block. Each interpreter has a module object of its own. */
struct sg_label_block_state {
    PyObject *variable; /* ContextVar: the current label set */
    PyObject *cache;    /* dict: (label set, key, value …) → that set with these labels added */
    PyObject *add;      /* function that makes such a set if it is not in the cache */
    PyObject *decorate; /* function that a block calls when it is used as a decorator */
    struct sg_label_memos memos;
};

/* The module's m_traverse, m_clear and m_free. Only the collector calls m_clear. */
int sg_label_block_traverse(PyObject *module, visitproc visit, void *arg);
int sg_label_block_clear(PyObject *module);
void sg_label_block_free(void *module);

#endif
