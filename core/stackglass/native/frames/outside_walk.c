/* Copies another thread's frames page by page. Frames that call each other are neighbours in
 * memory, so a stack takes few system calls.
 *
 * The thread may run during the walk; at the end, its CPU clock shows whether it did. Until then
 * any word that was read may be wrong, so each step is checked: a frame must have a live code
 * object (entry frames, called shims below, have none), and the chain must end in the thread's
 * root. */
#include "frames/outside_walk.h"

#include <string.h>

#include "frames/frame_fields.h"
#include "frames/outside_threads.h"
#include "frames/walk.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "labels/labels.h"
#include "platform/memory.h"
#include "platform/time.h"

enum {
    WINDOW_BYTES = 4096, /* one page */
    MAX_SHIMS = 2048,    /* in a row: a chain that changes meanwhile may form a cycle */
    FIRST_MINOR_WITH_SHIM_ROOT = 12,
    /* Python shows a frame from its first traceable instruction on, which is always among the first
     * ones. A frame beyond so many bytes of code has passed it, so it is not looked up. */
    MOST_PROLOGUE_BYTES = 512,
};

/* The page that a walk copied last. */
struct window {
    uintptr_t start; /* 0 = nothing */
    uint8_t bytes[WINDOW_BYTES];
};

/* Return a copy of [address, address + size), valid until the next call; NULL if it cannot be read.
 * A range that crosses the end of a page is copied to `scratch`, any other comes from `window`. */
static const uint8_t *peek(struct window *window, uintptr_t address, size_t size,
                           uint8_t scratch[SG_MOST_FRAME_BYTES]) {
    uintptr_t start = address & ~(uintptr_t)(WINDOW_BYTES - 1);
    if (start + WINDOW_BYTES < address + size || !start)
        return sg_memory_read_foreign(address, scratch, size) ? scratch : NULL;
    if (window->start != start) {
        window->start = 0;
        if (!sg_memory_read_foreign(start, window->bytes, WINDOW_BYTES))
            return NULL;
        window->start = start;
    }
    return window->bytes + (address - start);
}

static uintptr_t word_at(const uint8_t *bytes, int32_t offset) {
    uintptr_t word;
    memcpy(&word, bytes + offset, sizeof word);
    return word;
}

static bool append(struct sg_outside_walk *walk, sg_code_id code, int32_t lasti) {
    return sg_frame_append(walk->frames, walk->capacity, &walk->depth,
                           (struct sg_frame){code, lasti});
}

/* 3.9 and 3.10: frames are objects. Returns false if one of the objects is no frame. */
static bool follow_objects(struct sg_outside_walk *walk, uintptr_t frame, struct window *window) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    uint8_t scratch[SG_MOST_FRAME_BYTES];
    while (frame) {
        const uint8_t *copy =
            frame % 8 == 0 ? peek(window, frame, (size_t)at->frame_bytes, scratch) : NULL;
        if (!copy || word_at(copy, 8) != (uintptr_t)sg_python_symbols.frame_type)
            return false;
        int32_t instruction = (int32_t)word_at(copy, at->instruction);
        uintptr_t previous = word_at(copy, at->previous);
        sg_code_id code = sg_walk_identify_foreign(word_at(copy, at->code));
        if (code == SG_NO_CODE)
            return false;
        if (!append(walk, code, sg_frame_fields_object_lasti(instruction)))
            return true;
        frame = previous;
    }
    return true;
}

/* Has the frame reached its first traceable instruction? Before that, Python hides it. */
static bool is_begun(uint8_t owner, uintptr_t code, intptr_t lasti) {
    int32_t first = 0;
    if (owner == SG_OWNED_BY_GENERATOR || lasti >= MOST_PROLOGUE_BYTES)
        return true;
    return sg_memory_read_foreign(code + (uintptr_t)sg_debug_offsets.co_firsttraceable, &first,
                                  sizeof first) &&
           lasti >= 2 * (intptr_t)first;
}

/* 3.11 and later: frames are structs. Returns false if one of them is no valid frame, or if the
 * last one is not the thread's root. */
static bool follow_structs(struct sg_outside_walk *walk, uintptr_t frame, struct window *window) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    uint8_t scratch[SG_MOST_FRAME_BYTES], owner = 0;
    if (at->cframe_frame >= 0 && frame &&
        !sg_memory_read_foreign(frame + (uintptr_t)at->cframe_frame, &frame, sizeof frame))
        return false;
    bool has_frame = frame != 0;
    for (int shims = 0; frame && shims < MAX_SHIMS; shims++) {
        const uint8_t *copy =
            frame % 8 == 0 ? peek(window, frame, (size_t)at->frame_bytes, scratch) : NULL;
        if (!copy)
            return false;
        uintptr_t previous = word_at(copy, at->previous);
        uintptr_t instruction = word_at(copy, at->instruction);
        uintptr_t code = sg_frame_fields_untag(word_at(copy, at->code));
        owner = copy[at->owner];
        if (owner > SG_LAST_OWNER)
            return false;
        if (owner < SG_FIRST_SHIM_OWNER) {
            sg_code_id id = sg_walk_identify_foreign(code);
            intptr_t lasti = sg_frame_fields_struct_lasti(instruction, code);
            if (id == SG_NO_CODE || lasti > INT32_MAX)
                return false;
            if (is_begun(owner, code, lasti)) {
                if (!append(walk, id, lasti < 0 ? -1 : (int32_t)lasti))
                    return true;
                shims = 0;
            }
        }
        frame = previous;
    }
    /* A suspended generator's frame ends a chain as well, but not at the thread's root. */
    bool is_root = at->minor >= FIRST_MINOR_WITH_SHIM_ROOT ? owner >= SG_FIRST_SHIM_OWNER
                                                           : owner != SG_OWNED_BY_GENERATOR;
    return !frame && (!has_frame || is_root);
}

/* Does the thread run the garbage collector? The collecting thread holds the GIL. */
static bool is_collecting(const struct sg_thread_copy *thread) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    int32_t collecting = 0;
    if (at->gc_collecting < 0 ||
        !(word_at(thread->bytes, at->thread_status) >> SG_THREAD_ATTACHED_BIT & 1))
        return false;
    uintptr_t interp = word_at(thread->bytes, at->thread_interp);
    return sg_memory_read_foreign(interp + (uintptr_t)at->gc_collecting, &collecting,
                                  sizeof collecting) &&
           collecting;
}

/* Can frames be read in this interpreter? Written with the GIL held, before any walk. */
static bool is_possible;

void sg_outside_walk_prepare(void) { is_possible = !sg_outside_threads_prepare(); }

enum sg_outside_result sg_outside_walk(struct sg_outside_walk *walk) {
    struct sg_thread_copy thread;
    struct window window = {.start = 0};
    clockid_t clock = sg_time_thread_clock(walk->tid);
    bool is_whole = true;
    walk->depth = 0;
    walk->labels = SG_NO_LABELS;
    walk->cpu_ns = sg_time_clock_ns(clock);
    if (!is_possible)
        return SG_OUTSIDE_UNREADABLE;
    bool is_found = sg_outside_threads_find(walk->tid, walk->thread, &thread);
    walk->thread = is_found ? thread.address : 0;
    if (walk->thread) {
        uintptr_t frame = word_at(thread.bytes, sg_debug_offsets.current_frame);
        if (is_collecting(&thread))
            append(walk, SG_GC, -1);
        is_whole = sg_debug_offsets.minor <= 10 ? follow_objects(walk, frame, &window)
                                                : follow_structs(walk, frame, &window);
        walk->labels = sg_labels_outside((const void *)walk->thread);
    }
    /* The clock of a thread that has ended reads 0. */
    if (!is_found || !walk->cpu_ns || sg_time_clock_ns(clock) != walk->cpu_ns)
        return SG_OUTSIDE_MOVED;
    if (!is_whole)
        return SG_OUTSIDE_UNREADABLE;
    return walk->depth ? SG_OUTSIDE_STACK : SG_OUTSIDE_NO_PYTHON;
}
