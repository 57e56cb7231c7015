/* A walk that remembers the last stack: see stacks.h. The walking thread stands in a call that its
 * Python code made, so its frames are consistent and read in place, as with frames/walk.h's
 * is_settled. */
#include "heap/stacks.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "frames/frame_fields.h"
#include "frames/walk.h"
#include "heap/samples.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"

enum {
    N_TRIED = 8, /* known frames that may have ended before one is met again */
};

struct step {
    uintptr_t frame, code; /* 3.14 and later: the code with its tags */
    uint64_t instruction;  /* ≤3.10: int */
    uint32_t stack;        /* the node, with all its callers */
};

/* Guarded by the ledger's claim; n_bad is lock-free. */
struct sg_stack_tree sg_heap_stacks;
static struct step known[SG_STACK_DEPTH_MOST]; /* root first */
static struct step fresh[SG_STACK_DEPTH_MOST]; /* a walk's own; not on the program's stack */
static uint32_t n_known;
static bool is_known_cut; /* callers of its root were left out */
static uint64_t known_deaths;
static _Atomic uint64_t n_bad;

/* A copy of what a walk needs of sg_debug_offsets, which the compiler can keep in registers. */
struct offsets {
    int32_t previous, code, instruction, owner; /* owner: -1 = frames are objects, none is a shim */
    uint64_t instruction_mask;
};

static struct offsets find_offsets(void) {
    return (struct offsets){
        .previous = sg_debug_offsets.previous,
        .code = sg_debug_offsets.code,
        .instruction = sg_debug_offsets.instruction,
        .owner = sg_debug_offsets.owner,
        .instruction_mask = sg_debug_offsets.minor <= 10 ? UINT32_MAX : UINT64_MAX,
    };
}

static inline struct step read_step(uintptr_t frame, struct offsets at) {
    return (struct step){
        .frame = frame,
        .code = sg_memory_load(frame + at.code),
        .instruction = sg_memory_load(frame + at.instruction) & at.instruction_mask,
    };
}

static inline bool is_same(const struct step *known_step, uintptr_t frame, struct offsets at) {
    return known_step->frame == frame && known_step->code == sg_memory_load(frame + at.code) &&
           known_step->instruction ==
               (sg_memory_load(frame + at.instruction) & at.instruction_mask);
}

static inline bool is_shim(uintptr_t frame, struct offsets at) {
    return at.owner >= 0 && *(const uint8_t *)(frame + at.owner) >= SG_FIRST_SHIM_OWNER;
}

enum seen { IS_FRAME, IS_HIDDEN, IS_NONE };

/* The frame of a sample that a step is. Python hides a frame until its first traceable instruction.
 */
static enum seen look(const struct step *step, struct sg_frame *frame) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    uintptr_t code = sg_frame_fields_untag(step->code);
    frame->code = sg_walk_identify(code);
    if (frame->code == SG_NO_CODE)
        return IS_NONE;
    if (at->minor <= 10) {
        frame->lasti = sg_frame_fields_object_lasti((int32_t)step->instruction);
        return IS_FRAME;
    }
    intptr_t lasti = sg_frame_fields_struct_lasti(step->instruction, code);
    bool is_generators = *(const uint8_t *)(step->frame + at->owner) == SG_OWNED_BY_GENERATOR;
    if (!is_generators && lasti < 2 * sg_memory_load_int(code + (uintptr_t)at->co_firsttraceable))
        return IS_HIDDEN;
    if (lasti < -2 || lasti > INT32_MAX)
        return IS_NONE;
    frame->lasti = lasti < 0 ? -1 : (int32_t)lasti;
    return IS_FRAME;
}

/* Move `frame` past the known frames that are still the same, without a gap. `top` is the known
 * frame to compare next, + 1; returns it as it is then. */
static uint32_t follow(uintptr_t *frame, uint32_t top, struct offsets at) {
    uintptr_t now = *frame;
    while (top && now) {
        if (!is_same(&known[top - 1], now, at)) {
            if (!is_shim(now, at))
                break;
        } else {
            top--;
        }
        now = sg_memory_load(now + at.previous);
    }
    while (now && is_shim(now, at))
        now = sg_memory_load(now + at.previous);
    *frame = now;
    return top;
}

/* Read the frames above known[0, *n_same), leaf first, into `fresh`; how many. */
static uint32_t read_frames(const void *thread, uint32_t *n_same, bool *is_cut) {
    struct offsets at = find_offsets();
    uint32_t most = sg_heap_capture_depth - 1; /* and SG_TRUNCATED */
    uint32_t n = 0, top = n_known;
    uintptr_t frame = sg_frame_fields_innermost(thread);
    while (frame && n < most) {
        uint32_t met = top;
        while (met && top - met < N_TRIED && known[met - 1].frame != frame)
            met--;
        if (met && known[met - 1].frame == frame) {
            top = follow(&frame, met, at);
            *is_cut = frame != 0;
            bool fits = *is_cut ? n + met == most : n + met <= most;
            if (!top && *is_cut == is_known_cut && fits) {
                *n_same = met;
                return n;
            }
            while (met > top && n < most) /* not the same to the root: treat as new */
                fresh[n++] = known[--met];
            if (met > top || !frame)
                break;
        }
        if (!is_shim(frame, at) && n < most)
            fresh[n++] = read_step(frame, at);
        frame = sg_memory_load(frame + at.previous);
    }
    *is_cut = frame != 0;
    *n_same = 0;
    return n;
}

uint32_t sg_heap_stacks_walk(const void *thread) {
    uint32_t n_same;
    bool is_cut;
    if (!thread)
        return sg_stack_tree_call(&sg_heap_stacks, SG_NO_STACK,
                                  (struct sg_frame){SG_NO_PYTHON_THREAD, -1});
    uint64_t deaths = sg_code_ids_deaths();
    if (deaths != known_deaths)
        n_known = 0; /* a known code object may have died, and another have its address */
    known_deaths = deaths;
    uint32_t n = read_frames(thread, &n_same, &is_cut);
    uint32_t stack = n_same   ? known[n_same - 1].stack
                     : is_cut ? sg_stack_tree_call(&sg_heap_stacks, SG_NO_STACK,
                                                   (struct sg_frame){SG_TRUNCATED, -1})
                              : SG_NO_STACK;
    n_known = n_same;
    is_known_cut = is_cut;
    while (n--) {
        struct sg_frame frame;
        enum seen seen = look(&fresh[n], &frame);
        if (seen == IS_NONE)
            atomic_fetch_add_explicit(&n_bad, 1, memory_order_relaxed);
        if (seen == IS_FRAME)
            stack = sg_stack_tree_call(&sg_heap_stacks, stack, frame);
        fresh[n].stack = stack;
        known[n_known++] = fresh[n];
    }
    if (stack == SG_NO_STACK) /* the interpreter itself, before a thread's first function */
        stack = sg_stack_tree_call(&sg_heap_stacks, stack, (struct sg_frame){SG_NATIVE, -1});
    if (stack == SG_STACK_LOST)
        n_known = 0;
    return stack;
}

uint64_t sg_heap_stacks_bad_walks(void) { return atomic_load(&n_bad); }

void sg_heap_stacks_discard(void) {
    sg_stack_tree_discard(&sg_heap_stacks);
    n_known = 0;
    atomic_store(&n_bad, 0);
}
