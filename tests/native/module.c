/* The tests' extension module: the functions of the engine's own, and the rooms driven by hand.
 *
 * Both extensions are linked from the same objects, and each has its own copy of every global: a
 * test that mixes both kinds of functions on one state takes all of them from this one. */
#include "module.h"

#include "bindings/label_block.h"
#include "platform/export.h"
#include "tables.h"

/* PyModule_AddFunctions would put the second of two functions of one name in the place of the
 * first. */
static int add_table(PyObject *module, PyMethodDef *table) {
    for (const PyMethodDef *method = table; method->ml_name; method++) {
        if (!PyObject_HasAttrString(module, method->ml_name))
            continue;
        PyErr_Format(PyExc_ImportError, "two functions are called %s", method->ml_name);
        return -1;
    }
    return PyModule_AddFunctions(module, table);
}

static int add_functions(PyObject *module) {
    if (sg_module_add_functions(module))
        return -1;
    PyMethodDef *const tables[] = {
        sg_asyncio_bindings,      sg_callable_bindings,     sg_census_bindings,
        sg_contention_bindings,   sg_cpu_bindings,          sg_dump_bindings,
        sg_frames_bindings,       sg_gil_bindings,          sg_heap_bindings,
        sg_heap_step_bindings,    sg_inject_rules_bindings, sg_job_bindings,
        sg_label_bindings,        sg_lock_bindings,         sg_loop_bindings,
        sg_native_alloc_bindings, sg_outside_bindings,      sg_platform_bindings,
        sg_pools_bindings,        sg_race_bindings,         sg_stack_bindings,
        sg_start_bindings,        sg_step_bindings,         sg_trace_bindings,
        sg_unwind_bindings,       sg_wire_bindings,         sg_writer_bindings};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (add_table(module, tables[i]))
            return -1;
    return 0;
}

/* Constant; not const for the API's sake. */
static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)add_functions}, {0, NULL}};

/* Changed by the interpreter only, under the GIL. */
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_core_testing",
    .m_doc = "The engine, and its rooms driven by hand; see _core_testing.pyi.",
    .m_size = sizeof(struct sg_label_block_state),
    .m_slots = slots,
    .m_traverse = sg_label_block_traverse,
    .m_clear = sg_label_block_clear,
    .m_free = sg_label_block_free,
};

SG_EXPORT PyObject *PyInit__core_testing(void);

PyObject *PyInit__core_testing(void) { return PyModuleDef_Init(&definition); }
