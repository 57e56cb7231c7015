/* The extension module: one method table, joined from those of the faces. */
#include "bindings/method_tables.h"

#include "platform/export.h"

enum { SG_MAX_METHODS = 256 };

/* Written once, by the first import (GIL; a second interpreter's import writes the same again);
 * ended by the entry that stays all zero. */
static PyMethodDef methods[SG_MAX_METHODS + 1];

static int sg_join_faces(void) {
    PyMethodDef *const faces[] = {
        sg_agent_bindings,   sg_asyncio_bindings, sg_census_bindings,       sg_contention_bindings,
        sg_cpu_bindings,     sg_encoder_bindings, sg_gil_bindings,          sg_heap_bindings,
        sg_inject_bindings,  sg_lock_bindings,    sg_native_alloc_bindings, sg_outside_bindings,
        sg_program_bindings, sg_step_bindings};
    size_t n = 0;

    for (size_t i = 0; i < sizeof faces / sizeof *faces; i++)
        for (const PyMethodDef *method = faces[i]; method->ml_name; method++) {
            if (n == SG_MAX_METHODS) {
                PyErr_SetString(PyExc_SystemError, "SG_MAX_METHODS is too small");
                return -1;
            }
            methods[n++] = *method;
        }
    return 0;
}

static PyModuleDef_Slot slots[] = {{0, NULL}}; /* constant; not const for the API's sake */

/* Changed by the interpreter only, under the GIL. */
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_core",
    .m_doc = "The hot paths of the engine. One file a concern; see _core.pyi.",
    .m_size = 0,
    .m_methods = methods,
    .m_slots = slots,
};

SG_EXPORT PyObject *PyInit__core(void);

PyObject *PyInit__core(void) {
    if (sg_join_faces())
        return NULL;
    return PyModuleDef_Init(&definition);
}
