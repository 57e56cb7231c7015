/* The Python faces of the C files: each concern contributes one NULL-ended method table, and
 * module.c joins them. */
#ifndef STACKGLASS_BINDINGS_METHOD_TABLES_H
#define STACKGLASS_BINDINGS_METHOD_TABLES_H

#include <Python.h>

extern PyMethodDef sg_asyncio_face[];
extern PyMethodDef sg_census_face[];
extern PyMethodDef sg_contention_face[];
extern PyMethodDef sg_cpu_face[];
extern PyMethodDef sg_encode_face[];
extern PyMethodDef sg_gil_face[];
extern PyMethodDef sg_heap_face[];
extern PyMethodDef sg_inject_face[];
extern PyMethodDef sg_lock_face[];
extern PyMethodDef sg_outside_face[];
extern PyMethodDef sg_native_alloc_face[];
extern PyMethodDef sg_agent_face[];
extern PyMethodDef sg_step_face[];

#endif
