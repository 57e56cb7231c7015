/* The functions that only tests call: each file of bindings has one NULL-ended table. */
#ifndef STACKGLASS_TESTS_NATIVE_TABLES_H
#define STACKGLASS_TESTS_NATIVE_TABLES_H

#include <Python.h>

extern PyMethodDef sg_asyncio_bindings[];
extern PyMethodDef sg_callable_bindings[];
extern PyMethodDef sg_census_bindings[];
extern PyMethodDef sg_contention_bindings[];
extern PyMethodDef sg_cpu_bindings[];
extern PyMethodDef sg_dump_bindings[];
extern PyMethodDef sg_frames_bindings[];
extern PyMethodDef sg_gil_bindings[];
extern PyMethodDef sg_heap_bindings[];
extern PyMethodDef sg_heap_step_bindings[];
extern PyMethodDef sg_inject_rules_bindings[];
extern PyMethodDef sg_job_bindings[];
extern PyMethodDef sg_label_bindings[];
extern PyMethodDef sg_lock_bindings[];
extern PyMethodDef sg_native_alloc_bindings[];
extern PyMethodDef sg_loop_bindings[];
extern PyMethodDef sg_outside_bindings[];
extern PyMethodDef sg_platform_bindings[];
extern PyMethodDef sg_race_bindings[];
extern PyMethodDef sg_stack_bindings[];
extern PyMethodDef sg_step_bindings[];
extern PyMethodDef sg_start_bindings[];
extern PyMethodDef sg_unwind_bindings[];
extern PyMethodDef sg_pools_bindings[];
extern PyMethodDef sg_trace_bindings[];
extern PyMethodDef sg_wire_bindings[];
extern PyMethodDef sg_writer_bindings[];

#endif
