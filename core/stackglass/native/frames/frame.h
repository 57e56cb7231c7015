/* Frame of a stack: the number of a code object (code_ids.h) and the instruction that it executes.
 * Numbers below SG_FIRST_CODE_ID stand for frames that have no code object, numbers from
 * SG_FIRST_NATIVE_ID on for machine code. */
#ifndef STACKGLASS_FRAMES_FRAME_H
#define STACKGLASS_FRAMES_FRAME_H

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t sg_code_id;

/* Frames without a code object; pseudo_frames.h has their names. */
enum {
    SG_NO_CODE = 0,
    SG_LOST_SAMPLES = 1,
    SG_NATIVE = 2,
    SG_KERNEL = 3,
    SG_GC = 4,
    SG_NO_PYTHON_THREAD = 5,
    SG_CALL_ENTRY = 6,
    SG_TRUNCATED = 7,
    SG_BEFORE_ATTACH = 8,
    SG_UNKNOWN = 9,
    SG_SIGNAL_BLOCKED = 10,
    SG_LOST_EVENT = 11,
    SG_OWN_WORK = 12,
    SG_FIRST_PRIMITIVE_ID = 16, /* + enum sg_primitive (primitives.h) */
    SG_FIRST_ARENA_ID = 96,     /* + a library's number (arena_names.h) */
    SG_FIRST_CODE_ID = 128,     /* the first number of a code object */
};
/* The first number that stands for machine code. */
#define SG_FIRST_NATIVE_ID (UINT32_C(1) << 31)

/* `lasti` is the byte offset of the instruction in the code's bytecode; -1 = the frame has not
 * started. */
struct sg_frame {
    sg_code_id code;
    int32_t lasti;
};

/* Return the frame of machine code at `pc`. The two fields together hold the address: in user space
 * its upper half is below 2³¹, so it fits beside the bit of SG_FIRST_NATIVE_ID. */
static inline struct sg_frame sg_frame_of_native(uintptr_t pc) {
    return (struct sg_frame){SG_FIRST_NATIVE_ID | (uint32_t)((uint64_t)pc >> 32),
                             (int32_t)(uint32_t)pc};
}

static inline bool sg_frame_is_native(struct sg_frame frame) {
    return frame.code >= SG_FIRST_NATIVE_ID;
}

static inline uintptr_t sg_frame_native_pc(struct sg_frame frame) {
    return (uintptr_t)((uint64_t)(frame.code & ~SG_FIRST_NATIVE_ID) << 32 | (uint32_t)frame.lasti);
}

/* Append `frame` to a stack, leaf first, of `*depth` frames with room for `capacity` ≥ 2. Returns
 * false if the stack is full; then its last frame becomes SG_TRUNCATED. Async-signal-safe. */
static inline bool sg_frame_append(struct sg_frame *frames, uint32_t capacity, uint32_t *depth,
                                   struct sg_frame frame) {
    if (*depth == capacity) {
        frames[capacity - 1] = (struct sg_frame){SG_TRUNCATED, -1};
        return false;
    }
    frames[(*depth)++] = frame;
    return true;
}

#endif
