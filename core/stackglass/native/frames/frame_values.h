/* What the frames of a thread that does not run keep: local variables, and the evaluator's stack.
 *
 *     frame │ locals, cells │ stack …                                   │
 *                           │ live: below the   │ temporaries, and above │
 *                           │ innermost block   │ them what was there    │
 *                             `n_live`            once: dangling
 *
 * An instruction that stands in a `try` or a `with` has, in the table of handlers (3.11 on) or in
 * the frame's own list of blocks, the depth that the stack is cut down to for its handler: what
 * lies below is alive. Above it nothing may be followed without a call that cannot fault.
 *
 * Words are for sg_frame_value. Caller holds the GIL; the thread is another of its interpreter, or
 * itself in a call of C code. */
#ifndef STACKGLASS_FRAMES_FRAME_VALUES_H
#define STACKGLASS_FRAMES_FRAME_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "frames/code_ids.h"
#include "frames/frame_fields.h" /* sg_frame_value */

struct sg_frame_values {
    uintptr_t frame;
    uintptr_t code; /* the code object; the frame keeps it */
    sg_code_id id;
    int32_t lasti; /* bytes; -1 = it has not started */
    const uint64_t *locals;
    const uint64_t *stack;
    uint32_t n_locals, n_stack; /* room for so many */
    uint32_t n_live;            /* ≤ n_stack */
};

/* The innermost frame of `thread`, a PyThreadState; false if there is none, or it cannot be read.
 * Needs sg_python_frames_prepare. */
bool sg_frame_values_first(const void *thread, struct sg_frame_values *values);
/* Its caller; false if there is none. */
bool sg_frame_values_next(struct sg_frame_values *values);

#endif
