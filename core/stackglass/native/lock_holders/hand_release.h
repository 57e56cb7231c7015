/* Releases by hand: may a running function have released a lock, by its code? All calls need the
 * GIL. */
#ifndef STACKGLASS_LOCK_HOLDERS_HAND_RELEASE_H
#define STACKGLASS_LOCK_HOLDERS_HAND_RELEASE_H

#include <stdbool.h>

#include "frames/frame_values.h"

/* Whether the function's code loads an attribute that releases locks, as far as it may have run: up
 * to the current instruction, or to the end of a loop around that. True if the code cannot be read.
 */
bool sg_hand_release_is_mentioned(const struct sg_frame_values *values);

/* Whether the function is Condition.wait, which releases the lock of its first argument. */
bool sg_hand_release_sleeps(const struct sg_frame_values *values);

#endif
