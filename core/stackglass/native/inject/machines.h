/* Machines: the tables of all supported processors. */
#ifndef STACKGLASS_INJECT_MACHINES_H
#define STACKGLASS_INJECT_MACHINES_H

#include "inject/machine.h"

/* The table of the processor that this library was compiled for; NULL = not supported. */
extern const struct sg_machine *const sg_machines_here;
/* Return the table of the processor `name`, for tests; NULL if there is none. */
const struct sg_machine *sg_machines_find(const char *name);

#endif
