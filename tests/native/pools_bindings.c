/* Pools of the interpreter's small-object allocator, for tests. */
#include "tables.h"

#include "interpreter/debug_offsets.h"
#include "interpreter/image.h"
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

/* Find the pools. Returns false, and raises RuntimeError, if they are not found. */
static bool find_pools(struct sg_pools *pools) {
    const char *problem = sg_python_symbols_find();
    if (!problem)
        problem = sg_debug_offsets_prepare();
    if (!problem)
        sg_interpreter_image_find();
    if (!problem)
        problem = sg_pools_find(pools);
    if (problem)
        PyErr_SetString(PyExc_RuntimeError, problem);
    return !problem;
}

static PyObject *count_pools(PyObject *self, PyObject *unused) {
    struct sg_pools pools;
    struct found found = {0};
    if (!find_pools(&pools))
        return NULL;
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

static PyObject *find_pool_block(PyObject *self, PyObject *args) {
    struct sg_pools pools;
    struct sg_pool_blocks blocks;
    unsigned long long address;
    unsigned n_arenas;
    if (!PyArg_ParseTuple(args, "KI", &address, &n_arenas) || !find_pools(&pools))
        return NULL;
    pools.n_arenas = n_arenas; /* as if the array had grown where it is since then */
    bool is_found = sg_pools_find_blocks(&pools, (uintptr_t)address, &blocks);
    return PyLong_FromUnsignedLong(is_found ? blocks.block_bytes : 0);
}

PyMethodDef sg_pools_bindings[] = {
    {"count_pools", count_pools, METH_NOARGS, "see _core_testing.pyi"},
    {"find_pool_block", find_pool_block, METH_VARARGS, "see _core_testing.pyi"},
    {NULL, NULL, 0, NULL},
};
