/* A census of objects by type, for tests. */
#define PY_SSIZE_T_CLEAN
#include "tables.h"

#include "census/census.h"
#include "cpu/cpu.h"
#include "heap/reader.h"
#include "platform/engine_threads.h"
#include "values.h"

static PyObject *go_on(PyObject *self, PyObject *args) {
    long long budget_ns;
    unsigned long long max_steps;
    (void)self;
    if (!PyArg_ParseTuple(args, "LK", &budget_ns, &max_steps))
        return NULL;
    sg_cpu_search_libraries();
    sg_engine_threads_begin_exempt();
    sg_census_go_on(budget_ns, max_steps);
    sg_engine_threads_end_exempt();
    return PyBool_FromLong(sg_census.is_done);
}

static PyObject *abandon(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    sg_census_abandon();
    sg_census_clear();
    return sg_values_none();
}

static PyObject *list_types(void) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < sg_census.types.rows.n; i++) {
        const struct sg_census_row *row = &sg_census.types.rows.at[i];
        sg_values_append(&list, Py_BuildValue("(sKK)", row->name, (unsigned long long)row->count,
                                              (unsigned long long)row->bytes));
    }
    return list;
}

static void append_block(void *context, const struct sg_heap_block *block) {
    uint32_t type = sg_census_blocks_type(&sg_census.blocks, block->address);
    const char *name = type == SG_NO_TYPE ? "" : sg_census.types.rows.at[type].name;
    sg_values_append(context, Py_BuildValue("(KKIs)", (unsigned long long)block->address,
                                            (unsigned long long)block->size, block->bucket, name));
}

static PyObject *list_blocks(void) {
    PyObject *list = PyList_New(0);
    if (!sg_census.has_blocks)
        return list;
    sg_engine_threads_begin_exempt();
    sg_heap_reader_read_blocks(append_block, &list);
    sg_engine_threads_end_exempt();
    return list;
}

static PyObject *result(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    const char *problem = sg_census.problem;
    return Py_BuildValue("{s:s,s:I,s:I,s:O,s:K,s:N,s:N}", "problem", problem ? problem : "",
                         "n_slices", sg_census.n_slices, "n_restarts", sg_census.n_restarts,
                         "is_whole", sg_census.is_whole ? Py_True : Py_False, "n_objects",
                         (unsigned long long)sg_census.n_objects, "types", list_types(), "blocks",
                         list_blocks());
}

PyMethodDef sg_census_bindings[] = {
    {"census_go_on", go_on, METH_VARARGS, "census_go_on(budget_ns, max_steps): is it done?"},
    {"census_abandon", abandon, METH_NOARGS, "End the census, and forget its results."},
    {"census_result", result, METH_NOARGS, "The results of the census, a dict."},
    {NULL, NULL, 0, NULL},
};
