/* The depth of a frame's evaluation stack while it is in a call.
 *
 * From 3.14 on the frame keeps its stack pointer. From 3.11 to 3.13 it does so only for calls of
 * Python functions. Otherwise the depth is computed from the bytecode, as the sum of the effects of
 * all instructions up to the call, which PyCompile_OpcodeStackEffectWithJump gives.
 *
 * Above that depth a stack has dangling pointers, so a depth that is too large would count
 * references that do not exist. Below it, each word is a reference that the frame owns, but for
 * one: the called C code may use the word before its arguments (PY_VECTORCALL_ARGUMENTS_OFFSET),
 * and put an object there that it borrows. In 3.13 that word is empty otherwise, unless a method is
 * called; up to 3.12 it is the callable's, which then counts as held by C code. Caller holds the
 * GIL. */
#ifndef STACKGLASS_LEAKS_EVALUATION_DEPTH_H
#define STACKGLASS_LEAKS_EVALUATION_DEPTH_H

#include <stdint.h>

#include "frames/frame_values.h"

enum { SG_DEPTH_UNKNOWN = -1, SG_NO_SCRATCH = -1 };

/* Return the number of values on the stack of a frame that is in a call; SG_DEPTH_UNKNOWN if it
 * cannot be determined. `scratch` is the place of that one word on the stack, directly above the
 * callable's; SG_NO_SCRATCH = there is none. */
int32_t sg_evaluation_depth_of(const struct sg_frame_values *values, int32_t *scratch);

#endif
