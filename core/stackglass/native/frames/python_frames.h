/* Frames of Python code that stands in a call, with their variables.
 *
 *     calling thread ──▶ Condition.wait ──caller──▶ Queue.get ──caller──▶ work
 *                          self, timeout …           self …
 *
 * A frame is an address, 0 = none; good as long as the caller holds the GIL and lets nobody run.
 * Where variables begin in a frame is learned from one of ours. All calls need the GIL. */
#ifndef STACKGLASS_FRAMES_PYTHON_FRAMES_H
#define STACKGLASS_FRAMES_PYTHON_FRAMES_H

#include <Python.h>

#include <stdint.h>

#include "frames/frame_fields.h"

/* Learn what `locals`, `local` and `module` need, once. Runs three lines of ours. */
void sg_python_frames_prepare(void);

/* ---- Inline, as asyncio asks at every callback and every await ---- */

/* `frame`, or the first of its callers that is no entry frame. */
static inline uintptr_t sg_skip_shims(uintptr_t frame) {
    while (frame && sg_debug_offsets.owner >= 0 &&
           *(const uint8_t *)(frame + (uintptr_t)sg_debug_offsets.owner) >= SG_FIRST_SHIM_OWNER)
        frame = sg_load(frame + (uintptr_t)sg_debug_offsets.previous);
    return frame;
}

/* Whether Python hides a frame, which is no entry frame (3.11 on): it stands before its first
 * traceable instruction. From 3.12 on a specialised call of a class has such a frame below that of
 * `__init__`. Its code object is a constant of the interpreter in memory that may be read-only, and
 * reading some attributes (co_code, co_varnames) writes into a code object. */
static inline bool sg_is_hidden(uintptr_t frame) {
    uint8_t owner = *(const uint8_t *)(frame + (uintptr_t)sg_debug_offsets.owner);
    uintptr_t code = sg_untag_reference(sg_load(frame + (uintptr_t)sg_debug_offsets.code));
    intptr_t lasti =
        sg_struct_lasti(sg_load(frame + (uintptr_t)sg_debug_offsets.instruction), code);
    return owner != SG_OWNED_BY_GENERATOR &&
           lasti < 2 * (intptr_t)sg_load_int(code + (uintptr_t)sg_debug_offsets.co_firsttraceable);
}

/* `frame`, or the first of its callers that Python shows. */
static inline uintptr_t sg_skip_hidden(uintptr_t frame) {
    frame = sg_skip_shims(frame);
    while (frame && sg_debug_offsets.owner >= 0 && sg_is_hidden(frame))
        frame = sg_skip_shims(sg_load(frame + (uintptr_t)sg_debug_offsets.previous));
    return frame;
}

/* The innermost frame of the calling thread, which stands in a call that its Python code made. */
static inline uintptr_t sg_calling_frame(void) {
    return sg_skip_shims(sg_innermost_frame(PyThreadState_Get()));
}

/* The innermost frame of `thread`: a PyThreadState that waits in a call, or is the calling one. */
static inline uintptr_t sg_python_frame(const void *thread) {
    return sg_skip_hidden(sg_innermost_frame(thread));
}

static inline uintptr_t sg_python_frame_caller(uintptr_t frame) {
    return sg_skip_hidden(sg_load(frame + (uintptr_t)sg_debug_offsets.previous));
}

/* Its code object, borrowed from the frame. */
static inline PyObject *sg_python_frame_code(uintptr_t frame) {
    return (PyObject *)sg_untag_reference(sg_load(frame + (uintptr_t)sg_debug_offsets.code));
}

/* ---- And what is asked less often ---- */

/* The instruction that it stands at: a byte offset; -1 = it has not started. */
int32_t sg_python_frame_lasti(uintptr_t frame);
/* The name of the module that it runs in, borrowed from there; NULL = it says none, or where a
 * frame keeps it is not known. */
PyObject *sg_python_frame_module(uintptr_t frame);
/* Its variables, words for sg_frame_value: the frame's. NULL = where they lie is not known. */
const uint64_t *sg_python_frame_locals(uintptr_t frame);
/* Number `at` of its variables, whose names are co_varnames: borrowed from the frame, which the
 * caller knows to have so many. NULL = it is not bound, or where it lies is not known. */
PyObject *sg_python_frame_local(uintptr_t frame, Py_ssize_t at);

#endif
