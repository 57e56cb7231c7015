/* Ranges of addresses, read from a Python tuple of (start, end, has calls). Needs the GIL. */
#ifndef STACKGLASS_BINDINGS_ADDRESS_RANGES_H
#define STACKGLASS_BINDINGS_ADDRESS_RANGES_H

#include <Python.h>

#include <stddef.h>

#include "inject/inject.h"

enum { SG_ADDRESS_RANGES_MAX = 64 };

/* Read `tuple` into `ranges`, which has room for SG_ADDRESS_RANGES_MAX, and their number into
 * `*n_ranges`. Returns 0, or -1 with an exception set. */
int sg_address_ranges_parse(PyObject *tuple, struct sg_range *ranges, size_t *n_ranges);

#endif
