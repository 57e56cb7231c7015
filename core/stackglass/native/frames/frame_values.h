/* Frame values: the local variables and the evaluation stack of each frame of a thread that is not
 * running.
 *
 *     frame │ locals, cells │ evaluation stack …                        │
 *                           │ live: below the   │ temporaries, then      │
 *                           │ innermost block   │ dangling pointers      │
 *                             `n_live`
 *
 * The interpreter does not store how much of the evaluation stack is in use. But within a `try` or
 * a `with`, the exception table (3.11 on) or the frame's block stack says to which depth the stack
 * is cut if an exception is raised. Words below that depth refer to live objects. A word above it
 * may dangle, so what it points to is read only by calls that cannot fault.
 *
 * sg_frame_fields_value decodes the words. The caller holds the GIL. The thread belongs to the same
 * interpreter, and either waits or is the calling thread in a call of C code. */
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

/* Fill in `values` for the innermost frame of `thread`, a PyThreadState. Returns false if there is
 * no frame, or if it cannot be read. sg_python_frames_prepare has been called. */
bool sg_frame_values_first(const void *thread, struct sg_frame_values *values);
/* Go on to the caller of the frame in `values`. Returns false if there is none, or if it cannot be
 * read. */
bool sg_frame_values_next(struct sg_frame_values *values);

#endif
