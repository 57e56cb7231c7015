/* Debug offsets: byte offsets of the interpreter's fields, by version.
 *
 *     thread state ──▶ frame ──previous──▶ frame ──previous──▶ … ──▶ NULL
 *                        │ code
 *                        ▼
 *                    code object ──▶ names, line table, bytecode
 *
 * For 3.9 to 3.12 they come from a table, from 3.13 on from _Py_DebugOffsets at the start of
 * _PyRuntime. All offsets are for LP64 machines. */
#ifndef STACKGLASS_INTERPRETER_DEBUG_OFFSETS_H
#define STACKGLASS_INTERPRETER_DEBUG_OFFSETS_H

#include <stddef.h>
#include <stdint.h>

enum {
    SG_FIRST_MINOR = 9,
    SG_LAST_MINOR = 15,
    SG_DEBUG_OFFSETS_BYTES = 888,
    SG_MOST_FRAME_BYTES = 128, /* limit of frame_bytes; no version has more than 112 */
    SG_THREAD_ATTACHED_BIT = 4 /* of `_status`, `active`: the thread has its interpreter's GIL */
};

struct sg_debug_offsets {
    int32_t minor; /* 3.minor */

    /* Thread state. */
    int32_t current_frame; /* ≤3.10, ≥3.13: the frame; 3.11, 3.12: the control frame (cframe) */
    int32_t cframe_frame;  /* in the control frame: the frame; -1 = there is no control frame */
    int32_t thread_id;     /* pthread_t */
    int32_t native_thread_id; /* -1 = none (≤3.10) */
    int32_t thread_interp;    /* the interpreter state */
    int32_t thread_status;    /* `_status`, a bit field; -1 = none (≤3.11) */
    int32_t base_frame;       /* lowest frame, inside the state itself; -1 = none (≤3.14) */
    int32_t thread_bytes;     /* size of a thread state's public part; -1 = not known (≤3.12) */
    int32_t datastack_chunk;  /* newest chunk of frames; -1 = not found (≤3.10: none) */

    /* Frame. */
    int32_t previous;
    int32_t code;
    int32_t instruction; /* ≤3.10: int; else pointer into the bytecode */
    int32_t owner;       /* char; -1 = none (≤3.10) */
    int32_t frame_bytes; /* bytes from a frame's start to the end of the last of these fields */

    /* Code object. */
    int32_t co_filename;
    int32_t co_name;
    int32_t co_qualname; /* -1 = none (≤3.10) */
    int32_t co_firstlineno;
    int32_t co_linetable;      /* bytes object */
    int32_t co_firsttraceable; /* int, in instructions; -1 = none (≤3.10) */
    int32_t co_adaptive;       /* first instruction; -1 = elsewhere (≤3.10) */

    /* Interpreter state. */
    int32_t interp_gil;     /* pointer to the interpreter's GIL; -1 = not known (≤3.12) */
    int32_t gc_collecting;  /* int, not 0 during a collection; -1 = not known (≤3.12) */
    int32_t gc_garbage;     /* gc.garbage, then gc.callbacks; 3.15 has one more word before both */
    int32_t interp_next;    /* the next interpreter state */
    int32_t interp_threads; /* the interpreter's newest thread state */
    int32_t interp_modules; /* sys.modules; -1 = not known (≤3.11) */

    int32_t ascii_data;   /* str: characters of a compact ASCII string */
    int32_t compact_data; /* str: characters of a compact string that is not ASCII */
};

/* Fill in `layout` for Python 3.`minor`. `debug_offsets` is that interpreter's _Py_DebugOffsets
 * (SG_DEBUG_OFFSETS_BYTES readable bytes), needed from 3.13 on. Returns NULL, or one sentence that
 * says why the offsets are not known. */
const char *sg_debug_offsets_find(int minor, const uint8_t *debug_offsets,
                                  struct sg_debug_offsets *layout);

/* Offsets of this process's interpreter. sg_debug_offsets_prepare fills them in with the GIL held,
 * before any walk; then they are constant. It returns as sg_debug_offsets_find. */
extern struct sg_debug_offsets sg_debug_offsets;
const char *sg_debug_offsets_prepare(void);

#endif
