/* The functions that production Python calls: each file of bindings has one NULL-ended table. */
#ifndef STACKGLASS_BINDINGS_METHOD_TABLES_H
#define STACKGLASS_BINDINGS_METHOD_TABLES_H

#include <Python.h>

extern PyMethodDef sg_agent_bindings[];
extern PyMethodDef sg_custom_bindings[];
extern PyMethodDef sg_encoder_bindings[];
extern PyMethodDef sg_inject_bindings[];
extern PyMethodDef sg_label_block_bindings[];
extern PyMethodDef sg_program_bindings[];
extern PyMethodDef sg_region_block_bindings[];
extern PyMethodDef sg_unsample_bindings[];

#endif
