/* AArch64: the processor's table for calls in a foreign thread (machine.h). */
#ifndef STACKGLASS_INJECT_AARCH64_H
#define STACKGLASS_INJECT_AARCH64_H

#include "inject/machine.h"

extern const struct sg_machine sg_aarch64_machine;

#endif
