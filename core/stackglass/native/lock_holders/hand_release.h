/* Releases by hand: whether a running function may have released a lock by an explicit call, as far
 * as its bytecode shows. All calls need the GIL. */
#ifndef STACKGLASS_LOCK_HOLDERS_HAND_RELEASE_H
#define STACKGLASS_LOCK_HOLDERS_HAND_RELEASE_H

#include <stdbool.h>

#include "frames/frame_values.h"

/* Whether the part of the function's code that may have run loads an attribute that releases locks.
 * That part ends at the current instruction, or at the end of a loop around it. True if the code
 * cannot be read. */
bool sg_hand_release_is_mentioned(const struct sg_frame_values *values);

/* Whether the function is Condition.wait, which releases the lock of its first argument. */
bool sg_hand_release_sleeps(const struct sg_frame_values *values);

#endif
