/* The extension module: the functions used outside tests. */
#include "module.h"

#include "bindings/label_block.h"
#include "bindings/method_tables.h"
#include "platform/export.h"

int sg_module_add_functions(PyObject *module) {
    PyMethodDef *const tables[] = {sg_agent_bindings,        sg_custom_bindings,
                                   sg_encoder_bindings,      sg_inject_bindings,
                                   sg_label_block_bindings,  sg_program_bindings,
                                   sg_region_block_bindings, sg_unsample_bindings};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (PyModule_AddFunctions(module, tables[i]))
            return -1;
    return 0;
}

/* Never changed; not const, because PyModuleDef.m_slots is a pointer to non-const slots. */
static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)sg_module_add_functions}, {0, NULL}};

/* Only the interpreter changes this structure, with the GIL held. */
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_core",
    .m_doc = "The engine, as far as Python calls it; see _core.pyi.",
    .m_size = sizeof(struct sg_label_block_state),
    .m_slots = slots,
    .m_traverse = sg_label_block_traverse,
    .m_clear = sg_label_block_clear,
    .m_free = sg_label_block_free,
};

SG_EXPORT PyObject *PyInit__core(void);

PyObject *PyInit__core(void) { return PyModuleDef_Init(&definition); }
