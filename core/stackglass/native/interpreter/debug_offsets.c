/* Where the offsets come from:
 *
 *     3.9 to 3.12    from TABLE
 *     from 3.13 on   from _Py_DebugOffsets; POSITIONS says where it has each offset. It is refused
 *                    if its cookie, version or values are not as expected. A field that it does not
 *                    list lies before or behind a field that it lists: …_BEFORE_…, …_BEHIND_…
 *     data stack     from 3.11 on. If a table has the offset, it is checked in a live thread state;
 *                    otherwise the state is searched for words that fit a chunk's head and limit */
#include "interpreter/debug_offsets.h"

#include <Python.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "interpreter/gil.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"

struct sg_debug_offsets sg_debug_offsets; /* written once with the GIL held, then constant */

/* Fields of 3.9 and 3.10, where frames are objects. */
#define OFFSETS_OF_OBJECT_FRAMES                                                                   \
    .current_frame = 24, .cframe_frame = -1, .thread_id = 176, .native_thread_id = -1,             \
    .thread_interp = 16, .thread_status = -1, .base_frame = -1, .thread_bytes = -1,                \
    .datastack_chunk = -1, .previous = 24, .code = 32, .owner = -1, .co_filename = 104,            \
    .co_name = 112, .co_qualname = -1, .co_firstlineno = 40, .co_linetable = 120,                  \
    .co_firsttraceable = -1, .co_adaptive = -1, .interp_gil = -1, .gc_collecting = -1,             \
    .gc_garbage = 824, .interp_next = 0, .interp_threads = 8, .interp_modules = -1,                \
    .ascii_data = 48, .compact_data = 72

/* Fields that are the same in 3.11 and 3.12, where frames are structures. */
#define OFFSETS_OF_STRUCT_FRAMES                                                                   \
    .current_frame = 56, .thread_interp = 16, .base_frame = -1, .thread_bytes = -1,                \
    .instruction = 56, .frame_bytes = 72, .co_filename = 112, .co_name = 120, .co_qualname = 128,  \
    .co_linetable = 136, .interp_gil = -1, .gc_collecting = -1, .interp_next = 0

/* Offsets from each version's own headers (3.9.18, 3.10.13, 3.11.7, 3.12.1). They were equal in
 * every patch release that was examined. */
static const struct sg_debug_offsets TABLE[] = {
    {.minor = 9, .instruction = 104, .frame_bytes = 112, OFFSETS_OF_OBJECT_FRAMES},
    {.minor = 10, .instruction = 96, .frame_bytes = 104, OFFSETS_OF_OBJECT_FRAMES},
    {.minor = 11,
     .cframe_frame = 8,
     .thread_id = 152,
     .native_thread_id = 160,
     .thread_status = -1,
     .datastack_chunk = 296,
     .previous = 48,
     .code = 32,
     .owner = 69,
     .co_firstlineno = 72,
     .co_firsttraceable = 168,
     .co_adaptive = 184,
     .gc_garbage = 856,
     .interp_threads = 16,
     .interp_modules = -1,
     .ascii_data = 48,
     .compact_data = 72,
     OFFSETS_OF_STRUCT_FRAMES},
    {.minor = 12,
     .cframe_frame = 0,
     .thread_id = 136,
     .native_thread_id = 144,
     .thread_status = 24,
     .datastack_chunk = 232,
     .previous = 8,
     .code = 0,
     .owner = 70,
     .co_firstlineno = 68,
     .co_firsttraceable = 176,
     .co_adaptive = 192,
     .gc_garbage = 320,
     .interp_threads = 72,
     .interp_modules = 944,
     .ascii_data = 40,
     .compact_data = 56,
     OFFSETS_OF_STRUCT_FRAMES},
};

/* Byte positions in _Py_DebugOffsets of the 64-bit words that hold the offsets. */
struct debug_positions {
    int minor;
    int interp_next, interp_threads, interp_gc, tstate_interp, tstate_frame, tstate_thread,
        tstate_native, tstate_status;
    int frame_previous, frame_executable, frame_instruction, frame_owner;
    int code_filename, code_name, code_qualname, code_linetable, code_firstline, code_adaptive;
    int ascii_bytes, gc_collecting;
};

static const struct debug_positions POSITIONS[] = {
    {13,  64,  72,  80,  176, 184, 192, 200, 216, 232, 240,
     248, 264, 280, 288, 296, 304, 312, 344, 560, 576},
    {14,  64,  72,  88,  200, 208, 216, 224, 240, 256, 264,
     272, 288, 320, 328, 336, 344, 352, 384, 640, 656},
    {15,  64,  72,  88,  200, 208, 240, 248, 264, 320, 328,
     336, 352, 384, 392, 400, 408, 416, 448, 736, 760},
};

enum {
    POSITION_VERSION = 8,
    POSITION_FREE_THREADED = 16,
    LARGEST_OFFSET = 1 << 20,
    FIRST_WITH_BASE_FRAME = 15, /* base_frame follows the public part of the thread state */
    /* Positions: the size of that part is three words before the offset of `interp`. */
    THREAD_SIZE_BEFORE_INTERP = 24,
    FIRSTTRACEABLE_BEFORE_CODE = 16, /* int, then co_extra, then the bytecode: 3.11 to 3.15 */
    GARBAGE_BEHIND_COLLECTING = 8,   /* int, padding, then the list; in 3.15 first a frame */
    MODULES_BEHIND_GC = 8,           /* positions, not offsets */
};

static uint64_t word_at(const uint8_t *bytes, int position) {
    uint64_t word;
    memcpy(&word, bytes + position, sizeof word);
    return word;
}

static int32_t offset_at(const uint8_t *bytes, int position, const char **problem) {
    uint64_t word = word_at(bytes, position);
    if (word > LARGEST_OFFSET)
        *problem = "the interpreter's debug offsets are not valid";
    return (int32_t)word;
}

/* Return the offset of the pointer to an interpreter's GIL. In _Py_DebugOffsets, five words about
 * the GIL follow those about imports, sys and builtins: the pointer, the GIL inside the state,
 * `enabled`, `locked` and the holder. Returns -1 if they do not fit struct sg_gil. */
static int32_t gil_pointer_at(const uint8_t *bytes, int gc_position) {
    enum { POINTER = 32, GIL = 40, LOCKED = 56, HOLDER = 64 };
    uint64_t gil = word_at(bytes, gc_position + GIL);
    uint64_t pointer = word_at(bytes, gc_position + POINTER);
    bool fits =
        word_at(bytes, gc_position + HOLDER) == gil + offsetof(struct sg_gil, last_holder) &&
        word_at(bytes, gc_position + LOCKED) == gil + offsetof(struct sg_gil, locked) && pointer &&
        pointer <= LARGEST_OFFSET;
    return fits ? (int32_t)pointer : -1;
}

static int32_t frame_bytes_of(const struct sg_debug_offsets *layout) {
    const int32_t words[] = {layout->previous, layout->code, layout->instruction};
    int32_t n_bytes = layout->owner + 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        int32_t end = words[i] + (int32_t)sizeof(uintptr_t);
        n_bytes = end > n_bytes ? end : n_bytes;
    }
    return n_bytes;
}

static const char *read_debug_offsets(int minor, const uint8_t *bytes,
                                      struct sg_debug_offsets *layout) {
    if (memcmp(bytes, "xdebugpy", 8) != 0)
        return "the interpreter has no debug offsets";
    if ((int)(word_at(bytes, POSITION_VERSION) >> 16) != (3 << 8 | minor))
        return "the interpreter's debug offsets are for another version";
    if (word_at(bytes, POSITION_FREE_THREADED) != 0)
        return "free-threaded builds of Python cannot be profiled yet";

    const struct debug_positions *at = &POSITIONS[minor - POSITIONS[0].minor];
    const char *problem = NULL;
    struct sg_debug_offsets found = {
        .minor = minor,
        .current_frame = offset_at(bytes, at->tstate_frame, &problem),
        .cframe_frame = -1,
        .thread_id = offset_at(bytes, at->tstate_thread, &problem),
        .native_thread_id = offset_at(bytes, at->tstate_native, &problem),
        .thread_interp = offset_at(bytes, at->tstate_interp, &problem),
        .thread_status = offset_at(bytes, at->tstate_status, &problem),
        .thread_bytes = offset_at(bytes, at->tstate_interp - THREAD_SIZE_BEFORE_INTERP, &problem),
        .datastack_chunk = -1, /* not among the debug offsets: found in a live thread */
        .previous = offset_at(bytes, at->frame_previous, &problem),
        .code = offset_at(bytes, at->frame_executable, &problem),
        .instruction = offset_at(bytes, at->frame_instruction, &problem),
        .owner = offset_at(bytes, at->frame_owner, &problem),
        .co_filename = offset_at(bytes, at->code_filename, &problem),
        .co_name = offset_at(bytes, at->code_name, &problem),
        .co_qualname = offset_at(bytes, at->code_qualname, &problem),
        .co_firstlineno = offset_at(bytes, at->code_firstline, &problem),
        .co_linetable = offset_at(bytes, at->code_linetable, &problem),
        .co_adaptive = offset_at(bytes, at->code_adaptive, &problem),
        .interp_gil = gil_pointer_at(bytes, at->interp_gc),
        .gc_collecting = offset_at(bytes, at->interp_gc, &problem) +
                         offset_at(bytes, at->gc_collecting, &problem),
        .interp_next = offset_at(bytes, at->interp_next, &problem),
        .interp_threads = offset_at(bytes, at->interp_threads, &problem),
        .interp_modules = offset_at(bytes, at->interp_gc + MODULES_BEHIND_GC, &problem),
        .ascii_data = offset_at(bytes, at->ascii_bytes, &problem),
    };
    found.base_frame = minor < FIRST_WITH_BASE_FRAME ? -1 : found.thread_bytes;
    found.gc_garbage = found.gc_collecting + GARBAGE_BEHIND_COLLECTING;
    found.co_firsttraceable = found.co_adaptive - FIRSTTRACEABLE_BEFORE_CODE;
    found.compact_data = found.ascii_data + 16; /* UTF-8 cache: length and pointer */
    found.frame_bytes = frame_bytes_of(&found);
    if (found.frame_bytes > SG_MOST_FRAME_BYTES)
        problem = "the interpreter's debug offsets describe frames larger than 128 bytes";
    if (problem)
        return problem;
    *layout = found;
    return NULL;
}

const char *sg_debug_offsets_find(int minor, const uint8_t *debug_offsets,
                                  struct sg_debug_offsets *layout) {
    static char refusal[120]; /* guarded by the GIL: without it only known versions are asked for */
    if (minor < SG_FIRST_MINOR || minor > SG_LAST_MINOR) {
        snprintf(refusal, sizeof refusal,
                 "Python 3.%d is not supported; 3.%d to 3.%d are supported", minor, SG_FIRST_MINOR,
                 SG_LAST_MINOR);
        return refusal;
    }
    if (minor < POSITIONS[0].minor) {
        *layout = TABLE[minor - SG_FIRST_MINOR];
        return NULL;
    }
    if (!debug_offsets)
        return "from 3.13 on the layout is known only inside the process";
    return read_debug_offsets(minor, debug_offsets, layout);
}

enum {
    FIRST_CHUNK = 96,     /* no version has datastack_chunk before this offset */
    DATASTACK_BYTES = 24, /* datastack_chunk, datastack_top, datastack_limit */
    MOST_THREAD_BYTES = 1024,
    SMALLEST_CHUNK = 4096,
    LARGEST_CHUNK = 1 << 30
};

/* Do `word` and the next two words of a thread state describe a data stack: chunk, top and limit?
 *
 *     thread state: … │ chunk │ top │ limit │ …      chunk: │ previous │ size │ top │ frames … │
 *                         └────────────────────────────────▶ chunk + size = limit              */
static bool is_datastack(const uint64_t *word) {
    uint64_t header[3];
    uint64_t chunk = word[0], top = word[1], limit = word[2];
    return chunk && chunk % 16 == 0 && top > chunk && top <= limit &&
           limit - chunk >= SMALLEST_CHUNK && limit - chunk <= LARGEST_CHUNK &&
           sg_memory_read(chunk, header, sizeof header) && header[1] == limit - chunk;
}

/* Search the thread states for datastack_chunk, or check its known offset. Returns the offset, or
 * -1. A thread that has run no Python code yet has no data stack. The search of its state must not
 * go on to the memory behind the state, where the state of another thread may lie. */
static int32_t find_datastack(void) {
    uint64_t words[MOST_THREAD_BYTES / sizeof(uint64_t)];
    bool is_known = sg_debug_offsets.datastack_chunk >= 0;
    int32_t first = is_known ? sg_debug_offsets.datastack_chunk : FIRST_CHUNK;
    int32_t end = is_known ? first + DATASTACK_BYTES : sg_debug_offsets.thread_bytes;
    if (end > MOST_THREAD_BYTES)
        end = MOST_THREAD_BYTES;
    /* Only threads of this interpreter: those of other interpreters may end meanwhile. */
    void *interp = (void *)sg_memory_load((uintptr_t)PyThreadState_Get() +
                                          (uintptr_t)sg_debug_offsets.thread_interp);
    for (void *thread = sg_python_symbols.thread_head(interp); thread && end > 0;
         thread = sg_python_symbols.thread_next(thread)) {
        if (!sg_memory_read((uintptr_t)thread, words, (size_t)end))
            continue;
        for (int32_t at = first; at + DATASTACK_BYTES <= end; at += (int32_t)sizeof *words) {
            if (is_datastack(words + at / (int32_t)sizeof *words))
                return at;
        }
    }
    return -1;
}

const char *sg_debug_offsets_prepare(void) {
    const char *problem = sg_debug_offsets_find(sg_python_symbols.minor, sg_python_symbols.runtime,
                                                &sg_debug_offsets);
    if (!problem && sg_debug_offsets.minor >= 11)
        sg_debug_offsets.datastack_chunk = find_datastack();
    return problem;
}
