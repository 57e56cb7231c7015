/* Register effect: what an instruction does to the general registers, as far as a stack is followed
 * by it, and where it goes on.
 *
 * What is not known exactly counts as a write of an unknown value. */
#ifndef STACKGLASS_UNWIND_REGISTER_EFFECT_H
#define STACKGLASS_UNWIND_REGISTER_EFFECT_H

#include "unwind/effect.h"

struct sg_register_effect sg_register_effect_find(const struct sg_instruction *instruction);

#endif
