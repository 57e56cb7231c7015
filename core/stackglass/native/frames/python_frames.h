/* Python frames: from a frame to its callers, with their variables.
 *
 *     calling thread ──▶ Condition.wait ──caller──▶ Queue.get ──caller──▶ work
 *                          self, timeout …           self …
 *
 * A frame is an address, 0 = none. It is valid while the caller holds the GIL and the frame's
 * thread waits in a call. Frames that Python hides from its own tracebacks are skipped. The offset
 * of the variables in a frame is learned from a frame of probe code. The caller of each function
 * holds the GIL. */
#ifndef STACKGLASS_FRAMES_PYTHON_FRAMES_H
#define STACKGLASS_FRAMES_PYTHON_FRAMES_H

#include <Python.h>

#include <stdint.h>

#include "frames/frame_fields.h"

/* Learn the offsets that sg_python_frame_locals, _local and _module need. Runs three lines of
 * Python code, once. */
void sg_python_frames_prepare(void);

/* ---- Inline, because asyncio's hooks call these in every callback and every await ---- */

/* Return `frame`, or its nearest caller that is not an entry frame (a shim). */
static inline uintptr_t sg_python_frames_skip_shims(uintptr_t frame) {
    while (frame && sg_debug_offsets.owner >= 0 &&
           *(const uint8_t *)(frame + (uintptr_t)sg_debug_offsets.owner) >= SG_FIRST_SHIM_OWNER)
        frame = sg_memory_load(frame + (uintptr_t)sg_debug_offsets.previous);
    return frame;
}

/* Does Python hide a frame that is not an entry frame (3.11 on)? It does before the frame's first
 * traceable instruction. From 3.12 on, a specialised call of a class has such a frame below that of
 * `__init__`. Its code object is a constant of the interpreter, in memory that may be read-only,
 * and reading some attributes (co_code, co_varnames) writes to a code object. */
static inline bool sg_python_frames_is_hidden(uintptr_t frame) {
    uint8_t owner = *(const uint8_t *)(frame + (uintptr_t)sg_debug_offsets.owner);
    uintptr_t code =
        sg_frame_fields_untag(sg_memory_load(frame + (uintptr_t)sg_debug_offsets.code));
    intptr_t lasti = sg_frame_fields_struct_lasti(
        sg_memory_load(frame + (uintptr_t)sg_debug_offsets.instruction), code);
    return owner != SG_OWNED_BY_GENERATOR &&
           lasti < 2 * (intptr_t)sg_memory_load_int(code +
                                                    (uintptr_t)sg_debug_offsets.co_firsttraceable);
}

/* Return `frame`, or its nearest caller that Python shows. */
static inline uintptr_t sg_python_frames_skip_hidden(uintptr_t frame) {
    frame = sg_python_frames_skip_shims(frame);
    while (frame && sg_debug_offsets.owner >= 0 && sg_python_frames_is_hidden(frame))
        frame = sg_python_frames_skip_shims(
            sg_memory_load(frame + (uintptr_t)sg_debug_offsets.previous));
    return frame;
}

/* Return the innermost frame of the calling thread, which Python code has called. */
static inline uintptr_t sg_python_frames_calling(void) {
    return sg_python_frames_skip_shims(sg_frame_fields_innermost(PyThreadState_Get()));
}

/* Return the innermost frame of `thread`, the PyThreadState of a thread that waits in a call, or of
 * the calling thread. */
static inline uintptr_t sg_python_frame(const void *thread) {
    return sg_python_frames_skip_hidden(sg_frame_fields_innermost(thread));
}

/* Return the caller of `frame`; 0 = none. */
static inline uintptr_t sg_python_frame_caller(uintptr_t frame) {
    return sg_python_frames_skip_hidden(
        sg_memory_load(frame + (uintptr_t)sg_debug_offsets.previous));
}

/* Return the code object of `frame`, borrowed from the frame. */
static inline PyObject *sg_python_frame_code(uintptr_t frame) {
    return (PyObject *)sg_frame_fields_untag(
        sg_memory_load(frame + (uintptr_t)sg_debug_offsets.code));
}

/* ---- Called less often ---- */

/* Return the byte offset of the frame's instruction; -1 = the frame has not started. */
int32_t sg_python_frame_lasti(uintptr_t frame);
/* Return the name of the frame's module, borrowed from the module; NULL = not known. */
PyObject *sg_python_frame_module(uintptr_t frame);
/* Return the frame's variables, borrowed from the frame: words that sg_frame_fields_value decodes.
 * NULL = not known. */
const uint64_t *sg_python_frame_locals(uintptr_t frame);
/* Return variable number `at` < co_nlocals of the frame, borrowed from the frame; NULL = not bound,
 * or not known. */
PyObject *sg_python_frame_local(uintptr_t frame, Py_ssize_t at);

#endif
