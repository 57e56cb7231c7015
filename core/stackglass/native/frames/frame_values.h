/* Frame values: local variables and evaluation stacks of a thread that is not running.
 *
 *     frame │ locals, cells │ evaluation stack …                        │
 *                           │ live: below the   │ temporaries, then      │
 *                           │ innermost block   │ dangling pointers      │
 *                             `n_live`
 *
 * In a `try` or a `with`, the table of handlers (3.11 on) or the frame's list of blocks gives the
 * depth to which the stack is cut for the handler. Words below it refer to live objects; a word
 * above it is followed only by a call that cannot fault.
 *
 * Words are decoded by sg_frame_fields_value. Caller holds the GIL; the thread is another one of
 * its interpreter, or the calling one in a call of C code. */
#ifndef STACKGLASS_FRAMES_FRAME_VALUES_H
#define STACKGLASS_FRAMES_FRAME_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "frames/code_ids.h"
#include "frames/frame_fields.h" /* sg_frame_fields_value */

struct sg_frame_values {
    uintptr_t frame;
    uintptr_t code; /* borrowed from the frame */
    sg_code_id id;
    int32_t lasti; /* bytes; -1 = it has not started */
    const uint64_t *locals;
    const uint64_t *stack;
    uint32_t n_locals, n_stack; /* capacities */
    uint32_t n_live;            /* ≤ n_stack */
};

/* The innermost frame of `thread`, a PyThreadState; false if there is none, or it cannot be read.
 * Needs sg_python_frames_prepare. */
bool sg_frame_values_first(const void *thread, struct sg_frame_values *values);
/* Its caller; false if there is none. */
bool sg_frame_values_next(struct sg_frame_values *values);

#endif
