/* Frame fields: what the fields of an interpreter frame mean in each version of Python. Their
 * offsets are in interpreter/debug_offsets.h.
 *
 *     3.9, 3.10    frames are objects (PyFrameObject)
 *     3.11 on      frames are structs (_PyInterpreterFrame)
 *
 * All code that reads frames uses these functions, whether it reads them in place or guarded
 * (walk.h). A frame is an address, 0 = none. Async-signal-safe. */
#ifndef STACKGLASS_FRAMES_FRAME_FIELDS_H
#define STACKGLASS_FRAMES_FRAME_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "interpreter/debug_offsets.h"
#include "platform/memory.h"

enum {
    /* Values of a frame struct's `owner`. */
    SG_OWNED_BY_GENERATOR = 1, /* FRAME_OWNED_BY_GENERATOR */
    SG_FIRST_SHIM_OWNER = 3,   /* from here on entry frames (shims): C code that calls Python */
    SG_LAST_OWNER = 4,
    /* 3.14 and later keep tags in the low bits of references (_PyStackRef). */
    SG_FIRST_MINOR_WITH_TAGS = 14,
    SG_REFERENCE_TAGS = 7,
    SG_KIND_TAGS = 3,
    SG_TAGGED_NUMBER = 3, /* the word itself is a number, not a reference */
};

/* The innermost frame of `thread`, a PyThreadState; it may be an entry frame. */
static inline uintptr_t sg_frame_fields_innermost(const void *thread) {
    uintptr_t frame = sg_memory_load((uintptr_t)thread + (uintptr_t)sg_debug_offsets.current_frame);
    if (sg_debug_offsets.cframe_frame >= 0 && frame)
        frame = sg_memory_load(frame + (uintptr_t)sg_debug_offsets.cframe_frame);
    return frame;
}

/* Return the address in a frame's `reference`, without its tags. */
static inline uintptr_t sg_frame_fields_untag(uintptr_t reference) {
    return sg_debug_offsets.minor >= SG_FIRST_MINOR_WITH_TAGS
               ? reference & ~(uintptr_t)SG_REFERENCE_TAGS
               : reference;
}

/* Return the object that a word of a frame's variables or evaluation stack refers to; 0 = none. */
static inline uintptr_t sg_frame_fields_value(uint64_t word) {
    bool is_number = sg_debug_offsets.minor >= SG_FIRST_MINOR_WITH_TAGS &&
                     (word & SG_KIND_TAGS) == SG_TAGGED_NUMBER;
    return is_number ? 0 : sg_frame_fields_untag((uintptr_t)word);
}

/* Return the byte offset of `instruction`, the f_lasti of a frame object; -1 = not started. (3.10
 * counts in units of two bytes, 3.9 in bytes.) */
static inline int32_t sg_frame_fields_object_lasti(int32_t instruction) {
    return sg_debug_offsets.minor == 10 && instruction > 0 ? 2 * instruction : instruction;
}

/* Return the byte offset of `instruction`, an address in a frame struct, from the start of the
 * bytecode of `code`, a code object. Negative = not started. */
static inline intptr_t sg_frame_fields_struct_lasti(uintptr_t instruction, uintptr_t code) {
    return (intptr_t)(instruction - code - (uintptr_t)sg_debug_offsets.co_adaptive);
}

#endif
