/* Register effect: what an instruction does to the general registers, and where execution
 * continues. A forward walk needs no more to follow the stack.
 *
 *     mov %rsp, %rbp   rbp = rsp          add $8, %rsp   rsp = rsp + 8
 *     cpuid            rax … rdx unknown  jne 0x40       a branch
 *
 * An effect that is not modelled exactly counts as a write of an unknown value. */
#ifndef STACKGLASS_UNWIND_REGISTER_EFFECT_H
#define STACKGLASS_UNWIND_REGISTER_EFFECT_H

#include "unwind/effect.h"

struct sg_register_effect sg_register_effect_find(const struct sg_instruction *instruction);

#endif
