/* Primary effects: the register effects of x86-64's primary opcode map, the instructions with a
 * one-byte opcode. */
#ifndef STACKGLASS_UNWIND_PRIMARY_EFFECT_H
#define STACKGLASS_UNWIND_PRIMARY_EFFECT_H

#include "unwind/effect_parts.h"

struct sg_register_effect sg_primary_effect_find(const struct sg_instruction *insn);

#endif
