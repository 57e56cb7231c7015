/* How a thread's frames are walked depends on the version of Python, and on where a frame lies.
 *
 *     3.9, 3.10    walk_objects   state ─▶ frame object ─▶ …
 *     3.11, 3.12   walk_structs   state ─▶ control frame, on the C stack ─▶ frame ─▶ …
 *     later        walk_structs   state ─▶ frame ─▶ …
 *
 * The pages of a frame object are probed, then the object is read in place. A frame struct is read
 * in place if it lies on the thread's C stack or in a chunk of its data stack, otherwise from a
 * copy. The search for a frame's chunk begins at the chunk of the frame before it: frames further
 * out lie in older chunks.
 *
 * A control frame (_PyCFrame) points to the newest frame of one evaluation loop. If the thread was
 * interrupted while it entered the loop, the control frame may not be filled in yet: walk_entry. */
#include "frames/walk.h"

#include <stdatomic.h>
#include <string.h>

#include "frames/frame_fields.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "platform/machine.h"
#include "platform/memory.h"

enum {
    PAGE_BITS = 12,
    MAX_CHUNKS = 1024,           /* data-stack chunks looked through for one frame */
    MAX_SHIMS = 2048,            /* frames passed over in a row */
    MAX_C_STACK_BYTES = 8 << 20, /* between two control frames */
    MINOR_WITH_ENTRY_FLAGS = 11,
    IS_ENTRY = 68,        /* 3.11: offset of a frame's is_entry: the loop was entered with it */
    CFRAME_PREVIOUS = 16, /* 3.11: offset of a control frame's `previous` */
};

static _Atomic uint32_t epoch = 1; /* lock-free */

void sg_walk_new_epoch(void) { atomic_fetch_add(&epoch, 1); }

/* Copy memory without faulting. Only the engine's threads walk foreign threads; other walks may be
 * made by a thread of the program, such as its signal handler. */
static bool read_memory(const struct sg_walk *walk, uintptr_t address, void *copy, size_t size) {
    return walk->is_foreign ? sg_memory_read_foreign(address, copy, size)
                            : sg_memory_read_probed(address, copy, size);
}

static bool is_page_readable(struct sg_page_cache *cache, uintptr_t page) {
    uint32_t now = atomic_load_explicit(&epoch, memory_order_relaxed);
    if (cache->epoch != now) {
        memset(cache->pages, 0, sizeof cache->pages);
        cache->epoch = now;
    }
    uintptr_t *entry =
        &cache->pages[(page * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - SG_PAGE_CACHE_BITS)];
    if (*entry == page)
        return true;
    char byte;
    if (!page || !sg_memory_read_probed(page << PAGE_BITS, &byte, 1))
        return false;
    *entry = page;
    return true;
}

static bool is_readable(struct sg_page_cache *cache, uintptr_t address, size_t size) {
    uintptr_t first = address >> PAGE_BITS, last = (address + size - 1) >> PAGE_BITS;
    return is_page_readable(cache, first) && (first == last || is_page_readable(cache, last));
}

static bool is_on_stack(const struct sg_walk *walk, uintptr_t address, size_t size) {
    return address >= walk->stack_low && address + size <= walk->stack_high;
}

/* Read a pointer-sized word; from the C stack without a system call. */
static bool read_word(const struct sg_walk *walk, uintptr_t address, uintptr_t *word) {
    if (!is_on_stack(walk, address, sizeof *word))
        return read_memory(walk, address, word, sizeof *word);
    *word = sg_memory_load(address);
    return true;
}

/* Read memory in place, unless the walked thread may run meanwhile and free it. */
static bool read_from(const struct sg_walk *walk, uintptr_t address, void *copy, size_t size) {
    if (walk->is_foreign)
        return sg_memory_read_foreign(address, copy, size);
    memcpy(copy, (const void *)address, size);
    return true;
}

/* The head of a chunk of the data stack (_PyStackChunk); the list begins with the newest chunk. */
struct chunk {
    const struct chunk *previous;
    size_t size;
};

/* Does [address, address + size) lie in a chunk from `*chunk` on? Then set `*chunk` to that one. */
static bool is_in_chunks(const struct chunk **chunk, uintptr_t address, size_t size) {
    const struct chunk *candidate = *chunk;
    for (int i = 0; candidate && i < MAX_CHUNKS; i++, candidate = candidate->previous) {
        uintptr_t low = (uintptr_t)candidate;
        if (address >= low && address + size <= low + candidate->size) {
            *chunk = candidate;
            return true;
        }
    }
    return false;
}

static sg_code_id identify(uintptr_t code, bool (*is_alive)(const void *)) {
    if (!code || code % 8)
        return SG_NO_CODE;
    sg_code_id id = sg_code_ids_find((const void *)code);
    if (id == SG_NO_CODE && is_alive((const void *)code))
        id = sg_code_ids_intern((const void *)code);
    return id;
}

sg_code_id sg_walk_identify(uintptr_t code) { return identify(code, sg_code_ids_is_alive); }

sg_code_id sg_walk_identify_foreign(uintptr_t code) {
    return identify(code, sg_code_ids_is_alive_foreign);
}

static sg_code_id identify_of(const struct sg_walk *walk, uintptr_t code) {
    return walk->is_foreign ? sg_walk_identify_foreign(code) : sg_walk_identify(code);
}

static bool append(struct sg_walk *walk, sg_code_id code, int32_t lasti) {
    return sg_frame_append(walk->frames, walk->capacity, &walk->depth,
                           (struct sg_frame){code, lasti});
}

static void add_border(struct sg_walk *walk, uintptr_t address) {
    struct sg_borders *borders = walk->borders;
    if (borders->n < borders->capacity)
        borders->at[borders->n++] = (struct sg_border){address, walk->depth};
}

/* 3.11: pass the frame at `base`. If the evaluation loop was entered with it, record the border at
 * the loop's control frame, which is on the C stack, and go on to the control frame of the loop
 * further out. */
static void pass_entry(struct sg_walk *walk, uintptr_t base, uintptr_t *cframe) {
    if (!*cframe || !*(const uint8_t *)(base + IS_ENTRY))
        return;
    add_border(walk, *cframe);
    if (!read_word(walk, *cframe + CFRAME_PREVIOUS, cframe))
        *cframe = 0;
}

static void meet(struct sg_wanted_frames *wanted, uintptr_t frame) {
    for (uint32_t i = 0; wanted && !wanted->found && i < wanted->n; i++)
        if (wanted->frames[i] == frame)
            wanted->found = i + 1;
}

/* 3.9 and 3.10: return where the frame object can be read: in place, or in `copy` if its thread may
 * free it meanwhile. 0 = it cannot be read. */
static uintptr_t reach_object(const struct sg_walk *walk, uintptr_t frame,
                              uint8_t copy[SG_MOST_FRAME_BYTES]) {
    size_t size = (size_t)sg_debug_offsets.frame_bytes;
    if (walk->is_settled)
        return frame;
    if (frame % 8)
        return 0;
    if (walk->is_foreign)
        return sg_memory_read_foreign(frame, copy, size) ? (uintptr_t)copy : 0;
    return is_readable(walk->pages, frame, size) ? frame : 0;
}

/* 3.9 and 3.10: frames are heap objects, complete before the thread points to them. */
static void walk_objects(struct sg_walk *walk) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    uintptr_t frame = sg_memory_load((uintptr_t)walk->thread + at->current_frame);
    while (frame) {
        uint8_t copy[SG_MOST_FRAME_BYTES];
        uintptr_t base = reach_object(walk, frame, copy);
        if (!base || sg_memory_load(base + 8) != (uintptr_t)sg_python_symbols.frame_type) {
            walk->is_bad = true;
            return;
        }
        sg_code_id code = identify_of(walk, sg_memory_load(base + at->code));
        if (code == SG_NO_CODE) {
            walk->is_bad = true;
            return;
        }
        meet(walk->wanted, frame);
        if (!append(walk, code,
                    sg_frame_fields_object_lasti(sg_memory_load_int(base + at->instruction))))
            return;
        frame = sg_memory_load(base + at->previous);
    }
}

/* 3.11 and 3.12: the evaluator keeps a control frame {current_frame, previous} on the C stack. On
 * entry:
 *
 *     push …; sub …, %rsp         the thread has the caller's control frame
 *     thread->cframe = &mine      mine holds stale data
 *     mine = {frame, caller's}    mine is valid
 *
 * In between, a register holds the address of the caller's control frame; afterwards `previous`
 * does. The compiler chooses the register, so each one is tried. Is `candidate` a control frame? It
 * must lie further up the C stack than `mine` and point to a frame with a code object. */
static bool is_control_frame(uintptr_t mine, uintptr_t candidate) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    uintptr_t frame, code;
    return candidate % sizeof frame == 0 && candidate - mine - 1 < MAX_C_STACK_BYTES &&
           sg_memory_read_probed(candidate + at->cframe_frame, &frame, sizeof frame) &&
           sg_memory_read_probed(frame + at->code, &code, sizeof code) &&
           sg_walk_identify(code) != SG_NO_CODE;
}

/* Is the control frame `mine` filled in? Then the frame of the control frame `callers` has called
 * its frame: directly, or on 3.12 through an entry frame that the evaluator also keeps on the C
 * stack. */
static bool is_filled(const struct sg_walk *walk, uintptr_t mine, uintptr_t callers) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    uintptr_t frame, previous, caller;
    if (!sg_memory_read_probed(mine + at->cframe_frame, &frame, sizeof frame) ||
        !sg_memory_read_probed(frame + at->previous, &previous, sizeof previous) ||
        !sg_memory_read_probed(callers + at->cframe_frame, &caller, sizeof caller))
        return false;
    if (at->minor == 12 &&
        (previous - walk->stack_low >= SG_ENTRY_STACK_BYTES ||
         !sg_memory_read_probed(previous + at->previous, &previous, sizeof previous)))
        return false;
    return previous == caller;
}

/* The thread was interrupted while the evaluator entered a call: make `cframe` a valid control
 * frame. If that is the caller's, append SG_CALL_ENTRY first, in place of the call's frame. Returns
 * false if no valid control frame is found. */
static bool walk_entry(struct sg_walk *walk, uintptr_t *cframe) {
    uintptr_t mine = *cframe, callers = 0;
    bool has_stack = walk->pc - sg_python_symbols.eval_start >= SG_PROLOGUE_BYTES;
    bool is_mine = has_stack && mine - walk->stack_low < SG_ENTRY_STACK_BYTES;
    if (is_mine) {
        sg_memory_read_probed(mine + sg_debug_offsets.cframe_frame + sizeof mine, &callers,
                              sizeof callers);
        for (int i = 0; !is_control_frame(mine, callers); i++) {
            if (i == SG_N_REGISTERS || !walk->context)
                return append(walk, SG_CALL_ENTRY, -1) && false;
            callers = sg_machine_register(walk->context, i);
        }
        if (is_filled(walk, mine, callers))
            return true;
        *cframe = callers;
    }
    return append(walk, SG_CALL_ENTRY, -1);
}

/* Return the newest frame struct; 0 = none, or the walk is bad. Up to 3.12, `cframe` becomes the
 * thread's control frame. */
static uintptr_t find_newest(struct sg_walk *walk, uintptr_t *cframe) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    uintptr_t frame;
    if (!read_from(walk, (uintptr_t)walk->thread + (uintptr_t)at->current_frame, &frame,
                   sizeof frame))
        return 0;
    if (at->cframe_frame < 0)
        return frame;
    bool is_entry = walk->pc - sg_python_symbols.eval_start < SG_CALL_ENTRY_BYTES;
    walk->is_bad = is_entry && !walk_entry(walk, &frame);
    *cframe = frame;
    if (walk->is_settled)
        return sg_memory_load(*cframe + at->cframe_frame);
    walk->is_bad = walk->is_bad || !read_word(walk, *cframe + at->cframe_frame, &frame);
    return walk->is_bad ? 0 : frame;
}

/* 3.11 and later: frames are structs on the data stack, in generators, and on the C stack. */
static void walk_structs(struct sg_walk *walk) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    uintptr_t thread = (uintptr_t)walk->thread, cframe = 0, frame = find_newest(walk, &cframe);
    const struct chunk *chunk = NULL;
    if (!frame)
        return;
    if (at->datastack_chunk >= 0 && !walk->is_foreign)
        chunk = (const struct chunk *)sg_memory_load(thread + at->datastack_chunk);
    for (int shims = 0; frame && shims < MAX_SHIMS; shims++) {
        uint8_t copy[SG_MOST_FRAME_BYTES];
        uintptr_t base = frame;
        if (frame % 8)
            break;
        bool is_base = at->base_frame >= 0 && frame == thread + (uintptr_t)at->base_frame;
        bool is_own = walk->is_settled || is_on_stack(walk, frame, at->frame_bytes) ||
                      (is_base && !walk->is_foreign);
        if (!is_own && !is_in_chunks(&chunk, frame, at->frame_bytes)) {
            if (!read_memory(walk, frame, copy, at->frame_bytes))
                break;
            base = (uintptr_t)copy;
        }
        uintptr_t previous = sg_memory_load(base + at->previous);
        uint8_t owner = *(const uint8_t *)(base + at->owner);
        if (owner > SG_LAST_OWNER)
            break;
        if (owner < SG_FIRST_SHIM_OWNER) {
            uintptr_t code = sg_frame_fields_untag(sg_memory_load(base + at->code));
            sg_code_id id = identify_of(walk, code);
            if (id == SG_NO_CODE)
                break;
            intptr_t lasti =
                sg_frame_fields_struct_lasti(sg_memory_load(base + at->instruction), code);
            /* Python hides a frame until its first traceable instruction. */
            int32_t first_traceable = 0;
            if (!read_from(walk, code + (uintptr_t)at->co_firsttraceable, &first_traceable,
                           sizeof first_traceable))
                break;
            bool is_complete = owner == SG_OWNED_BY_GENERATOR || lasti >= 2 * first_traceable;
            if (is_complete) {
                if (lasti < -2 || lasti > INT32_MAX)
                    break;
                meet(walk->wanted, frame);
                if (!append(walk, id, lasti < 0 ? -1 : (int32_t)lasti))
                    return;
                shims = 0;
            }
            if (walk->borders && at->minor == MINOR_WITH_ENTRY_FLAGS)
                pass_entry(walk, base, &cframe);
        } else if (walk->borders && !is_base) {
            add_border(walk, frame);
        }
        if (!previous)
            return;
        frame = previous;
    }
    walk->is_bad = frame != 0;
}

void sg_frames_walk(struct sg_walk *walk) {
    walk->is_bad = false;
    if (sg_debug_offsets.minor <= 10)
        walk_objects(walk);
    else
        walk_structs(walk);
}
