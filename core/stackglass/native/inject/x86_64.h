/* x86-64: this processor's table for calls in a foreign thread (machine.h). */
#ifndef STACKGLASS_INJECT_X86_64_H
#define STACKGLASS_INJECT_X86_64_H

#include "inject/machine.h"

extern const struct sg_machine sg_x86_64_machine;

#endif
