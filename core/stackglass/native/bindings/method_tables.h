/* The Python faces of the C files: each concern contributes one NULL-ended method table, and
 * module.c joins them. */
#ifndef STACKGLASS_BINDINGS_METHOD_TABLES_H
#define STACKGLASS_BINDINGS_METHOD_TABLES_H

#include <Python.h>

extern PyMethodDef sg_asyncio_bindings[];
extern PyMethodDef sg_census_bindings[];
extern PyMethodDef sg_contention_bindings[];
extern PyMethodDef sg_cpu_bindings[];
extern PyMethodDef sg_encoder_bindings[];
extern PyMethodDef sg_gil_bindings[];
extern PyMethodDef sg_heap_bindings[];
extern PyMethodDef sg_inject_bindings[];
extern PyMethodDef sg_lock_bindings[];
extern PyMethodDef sg_outside_bindings[];
extern PyMethodDef sg_native_alloc_bindings[];
extern PyMethodDef sg_agent_bindings[];
extern PyMethodDef sg_program_bindings[];
extern PyMethodDef sg_step_bindings[];

#endif
