/* Pools of the interpreter's small-object allocator, for tests. */
#include "tables.h"

#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "trace/pools.h"

struct found {
    unsigned long long n_arenas, n_pools, n_blocks[33];
};

static void see_arena(void *context, const struct sg_arena *arena) {
    ((struct found *)context)->n_arenas++;
}

static void see_pool(void *context, const struct sg_pool *pool) {
    struct found *found = context;
    found->n_pools++;
    found->n_blocks[pool->block_bytes / 16] += pool->n_live;
}

static PyObject *count_pools(PyObject *self, PyObject *unused) {
    struct sg_pools pools;
    struct found found = {0};
    const char *problem = sg_python_symbols_find();
    if (!problem)
        problem = sg_debug_offsets_prepare();
    if (!problem)
        problem = sg_pools_find(&pools);
    if (problem) {
        PyErr_SetString(PyExc_RuntimeError, problem);
        return NULL;
    }
    if (!sg_pools_walk(&pools, see_arena, see_pool, &found)) {
        PyErr_SetString(PyExc_RuntimeError, "a pool contradicts itself");
        return NULL;
    }
    PyObject *list = PyList_New(0);
    for (int i = 1; list && i <= 32; i++) {
        PyObject *n = PyLong_FromUnsignedLongLong(found.n_blocks[i]);
        if (!n || PyList_Append(list, n))
            Py_CLEAR(list);
        Py_XDECREF(n);
    }
    return Py_BuildValue("KKN", found.n_arenas, found.n_pools, list);
}

PyMethodDef sg_pools_bindings[] = {
    {"count_pools", count_pools, METH_NOARGS, "see _core_testing.pyi"},
    {NULL, NULL, 0, NULL},
};
