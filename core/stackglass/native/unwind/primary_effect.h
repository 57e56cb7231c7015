/* Effects of the instructions whose opcode is one byte. */
#ifndef STACKGLASS_UNWIND_PRIMARY_EFFECT_H
#define STACKGLASS_UNWIND_PRIMARY_EFFECT_H

#include "unwind/effect_parts.h"

struct sg_register_effect sg_primary_effect_find(sg_effect_of *of);

#endif
