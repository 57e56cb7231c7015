/* Lists the references that each frame of a thread holds: the function, the variables, and the
 * evaluation stack up to the depth in use. If one of these cannot be determined for a frame, the
 * attempt ends, and the search does not judge the thread. */
#include "leaks/thread_references.h"

#include <Python.h>

#include "frames/frame_values.h"
#include "frames/python_frames.h"
#include "leaks/evaluation_depth.h"
#include "objects/collector_lists.h"

enum {
    FIRST_WITH_STRUCTS = 11, /* minor version: a frame is a _PyInterpreterFrame, not an object */
    FUNCTION_11 = 0,         /* offset of the frame's function in 3.11 */
    FUNCTION = 16,           /* the same from 3.12 on: f_funcobj */
    /* Offset of f_gen in a frame object: the generator that the frame belongs to. */
    GENERATOR_9 = 96,
    GENERATOR_10 = 88,
    MOST_FRAMES = 1 << 14,
};

/* Append the object in `word`, a variable or stack value of a frame, if the frame owns a reference
 * to the object. From 3.14 on a value may be borrowed from a variable or from another frame's
 * stack; tag bits mark such a value. Returns false if memory runs out. */
static bool add(struct sg_thread_references *references, uint64_t word) {
    uintptr_t object = sg_frame_fields_value(word);
    bool is_borrowed =
        sg_debug_offsets.minor >= SG_FIRST_MINOR_WITH_TAGS && (word & SG_KIND_TAGS) != 0;
    return !object || is_borrowed || SG_ROWS_ADD(references, object);
}

static bool is_of_generator(uintptr_t frame) {
    int minor = sg_debug_offsets.minor;
    if (minor >= FIRST_WITH_STRUCTS)
        return *(const uint8_t *)(frame + (uintptr_t)sg_debug_offsets.owner) ==
               SG_OWNED_BY_GENERATOR;
    return sg_memory_load(frame + (minor == 9 ? GENERATOR_9 : GENERATOR_10)) != 0;
}

/* Whether a call's scratch word has the object whose method is called, which the frame owns. The
 * callable has this flag then. With any other callable, such as a functools.partial, the called C
 * code may have put an object there that it borrows. */
static bool is_scratch_owned(const struct sg_frame_values *values, int32_t scratch) {
    static const unsigned long METHOD_DESCRIPTOR = 1ul << 17; /* Py_TPFLAGS_METHOD_DESCRIPTOR */
    PyObject *callable =
        scratch > 0 ? (PyObject *)sg_frame_fields_value(values->stack[scratch - 1]) : NULL;
    return callable && PyType_GetFlags(Py_TYPE(callable)) & METHOD_DESCRIPTOR;
}

static bool add_frame(struct sg_thread_references *references,
                      const struct sg_frame_values *values) {
    int minor = sg_debug_offsets.minor;
    int32_t scratch, depth = sg_evaluation_depth_of(values, &scratch);
    if (depth == SG_DEPTH_UNKNOWN || is_of_generator(values->frame))
        return false;
    if (minor >= FIRST_WITH_STRUCTS &&
        !add(references, sg_memory_load(values->frame + (minor == 11 ? FUNCTION_11 : FUNCTION))))
        return false;
    /* A frame object that the collector tracks reports its variables itself. */
    bool has_locals =
        minor >= FIRST_WITH_STRUCTS || !sg_collector_list_is_tracked((const void *)values->frame);
    for (uint32_t i = 0; has_locals && i < values->n_locals; i++) {
        if (!add(references, values->locals[i]))
            return false;
    }
    for (int32_t i = 0; i < depth; i++) {
        bool is_owned = i != scratch || is_scratch_owned(values, scratch);
        if (is_owned && !add(references, values->stack[i]))
            return false;
    }
    return true;
}

bool sg_thread_references_add(struct sg_thread_references *references, const void *thread) {
    struct sg_frame_values values;
    uint32_t n = 0;
    if (!sg_frame_values_first(thread, &values))
        return false;
    do {
        if (++n > MOST_FRAMES || !add_frame(references, &values))
            return false;
    } while (sg_frame_values_next(&values));
    return values.frame == 0; /* else a frame could not be read */
}
