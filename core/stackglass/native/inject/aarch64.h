/* Table of aarch64. */
#ifndef STACKGLASS_INJECT_AARCH64_H
#define STACKGLASS_INJECT_AARCH64_H

#include "inject/machine.h"

extern const struct sg_machine sg_aarch64_machine;

#endif
