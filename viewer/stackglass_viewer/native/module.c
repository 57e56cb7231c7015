/* The viewer's extension module: loops over columns that numpy cannot do fast enough. Long ones run
 * without the GIL. */
#include "memory_bindings.h"

static int exec_module(PyObject *module) {
    PyMethodDef *const tables[] = {sg_decode_bindings,  sg_tree_bindings, sg_flame_bindings,
                                   sg_heap_bindings,    sg_time_bindings, sg_event_bindings,
                                   sg_memory_bindings,  sg_go_bindings,   sg_json_bindings,
                                   sg_text_bindings,    sg_perf_bindings, sg_callgrind_bindings,
                                   sg_address_bindings, sg_dump_bindings, sg_massif_bindings};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (PyModule_AddFunctions(module, tables[i]) < 0)
            return -1;
    return sg_add_column_type(module) < 0 || sg_add_texts_type(module) < 0 ||
                   sg_add_start_type(module) < 0
               ? -1
               : sg_add_replay_type(module);
}

static int traverse_module(PyObject *module, visitproc visit, void *arg) {
    struct sg_module_state *state = PyModule_GetState(module);
    Py_VISIT(state->column_type);
    return 0;
}

static int clear_module(PyObject *module) {
    struct sg_module_state *state = PyModule_GetState(module);
    Py_CLEAR(state->column_type);
    return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, exec_module},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "stackglass_viewer.native._loops",
    .m_doc = "Loops over columns; see _loops.pyi.",
    .m_size = sizeof(struct sg_module_state),
    .m_slots = slots,
    .m_traverse = traverse_module,
    .m_clear = clear_module,
};

PyMODINIT_FUNC PyInit__loops(void) { return PyModuleDef_Init(&definition); }
