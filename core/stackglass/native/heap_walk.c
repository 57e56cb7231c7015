/* Walks that remember: see heap_walk.h. The walking thread stands in a call that its Python code
 * made, so its frames are whole and read in place, as with frames.h's is_settled. */
#include "heap_walk.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "frames.h"
#include "heap.h"
#include "heap_stacks.h"
#include "layout.h"
#include "memory.h"
#include "python_symbols.h"

enum {
    OWNED_BY_GENERATOR = 1,
    FIRST_SHIM_OWNER = 3,
    STACK_REF_TAGS = 7,
    MOST_FRAMES = SG_HEAP_DEPTH - 1, /* and SG_TRUNCATED */
    N_TRIED = 8, /* known frames that may have ended before the one that is met */
};

struct step {
    uintptr_t frame, code;
    uint64_t instruction; /* ≤3.10: int */
    uint32_t stack;       /* the node, with all its callers */
};

/* Guarded by the claim. */
static struct step known[SG_HEAP_DEPTH]; /* root first */
static uint32_t n_known;
static bool is_known_cut; /* its root has callers that were left out */
static uint64_t known_deaths;
static _Atomic uint64_t n_bad;

static uintptr_t first_frame(const void *thread) {
    uintptr_t frame = sg_load((uintptr_t)thread + sg_layout.current_frame);
    return sg_layout.cframe_frame >= 0 ? sg_load(frame + sg_layout.cframe_frame) : frame;
}

/* Read the frame, and move on to its caller. */
static inline bool read_step(uintptr_t *frame, struct step *step) {
    const struct sg_layout *at = &sg_layout;
    if (at->minor <= 10) {
        step->frame = *frame;
        step->code = sg_load(*frame + at->code);
        step->instruction = (uint64_t)sg_load_int(*frame + at->instruction);
        *frame = sg_load(*frame + at->previous);
        return true;
    }
    while (*(const uint8_t *)(*frame + at->owner) >= FIRST_SHIM_OWNER) {
        *frame = sg_load(*frame + at->previous);
        if (!*frame)
            return false;
    }
    step->frame = *frame;
    step->code = sg_load(*frame + at->code);
    if (at->minor >= 14)
        step->code &= ~(uintptr_t)STACK_REF_TAGS;
    step->instruction = sg_load(*frame + at->instruction);
    *frame = sg_load(*frame + at->previous);
    return true;
}

enum seen { IS_FRAME, IS_HIDDEN, IS_NONE };

/* Which frame of a sample it is. Python hides one until its first traceable instruction. */
static enum seen look(const struct step *step, struct sg_frame *frame) {
    const struct sg_layout *at = &sg_layout;
    frame->code = sg_frames_identify(step->code);
    if (frame->code == SG_NO_CODE)
        return IS_NONE;
    if (at->minor <= 10) {
        int32_t lasti = (int32_t)step->instruction;
        frame->lasti = at->minor == 10 && lasti > 0 ? 2 * lasti : lasti;
        return IS_FRAME;
    }
    intptr_t lasti = (intptr_t)(step->instruction - step->code - (uintptr_t)at->co_adaptive);
    bool is_generators = *(const uint8_t *)(step->frame + at->owner) == OWNED_BY_GENERATOR;
    if (!is_generators && lasti < 2 * sg_load_int(step->code + (uintptr_t)at->co_firsttraceable))
        return IS_HIDDEN;
    if (lasti < -2 || lasti > INT32_MAX)
        return IS_NONE;
    frame->lasti = lasti < 0 ? -1 : (int32_t)lasti;
    return IS_FRAME;
}

static bool is_same(const struct step *one, const struct step *other) {
    return one->frame == other->frame && one->code == other->code &&
           one->instruction == other->instruction;
}

/* The frames above known[0, *n_same), leaf first, into `fresh`; how many. What remains of the known
 * ones reaches from here to the root. */
static uint32_t read_frames(const void *thread, struct step *fresh, uint32_t *n_same,
                            bool *is_cut) {
    uint32_t n = 0, top = n_known; /* known[top - 1] is the next that may be met */
    uint32_t same_top = 0;         /* known[.., same_top) are met, one after the other */
    uintptr_t frame = first_frame(thread);
    struct step step;
    while (frame && n + (same_top ? same_top - top : 0) < MOST_FRAMES) {
        if (!read_step(&frame, &step))
            break;
        uint32_t met = top;
        while (met && top - met < N_TRIED && known[met - 1].frame != step.frame)
            met--;
        bool is_met = met && is_same(&known[met - 1], &step);
        if (same_top && (!is_met || met != top)) { /* it was no run to the root */
            for (; same_top > top; same_top--)
                fresh[n++] = known[same_top - 1];
            same_top = 0;
        }
        if (!is_met) {
            fresh[n++] = step;
            continue;
        }
        if (!same_top)
            same_top = met;
        top = met - 1;
    }
    *is_cut = frame != 0;
    bool is_whole = same_top && top == 0 && *is_cut == is_known_cut;
    if (same_top && !is_whole) {
        for (; same_top > top; same_top--)
            fresh[n++] = known[same_top - 1];
        same_top = 0;
    }
    *n_same = same_top;
    return n;
}

uint32_t sg_heap_walk_stack(const void *thread) {
    struct step fresh[SG_HEAP_DEPTH];
    uint32_t n_same;
    bool is_cut;
    if (!thread)
        return sg_heap_stacks_call(SG_HEAP_NO_STACK, (struct sg_frame){SG_NO_PYTHON_THREAD, -1});
    uint64_t deaths = sg_code_ids_deaths();
    if (deaths != known_deaths)
        n_known = 0; /* what is known may be of a code object that was at the same address */
    known_deaths = deaths;
    uint32_t n = read_frames(thread, fresh, &n_same, &is_cut);
    uint32_t stack =
        n_same   ? known[n_same - 1].stack
        : is_cut ? sg_heap_stacks_call(SG_HEAP_NO_STACK, (struct sg_frame){SG_TRUNCATED, -1})
                 : SG_HEAP_NO_STACK;
    n_known = n_same;
    is_known_cut = is_cut;
    while (n--) {
        struct sg_frame frame;
        enum seen seen = look(&fresh[n], &frame);
        if (seen == IS_NONE)
            atomic_fetch_add_explicit(&n_bad, 1, memory_order_relaxed);
        if (seen == IS_FRAME)
            stack = sg_heap_stacks_call(stack, frame);
        fresh[n].stack = stack;
        known[n_known++] = fresh[n];
    }
    if (stack == SG_HEAP_NO_STACK) /* the interpreter itself, before a thread's first function */
        stack = sg_heap_stacks_call(stack, (struct sg_frame){SG_NATIVE, -1});
    if (stack == SG_HEAP_STACK_LOST)
        n_known = 0;
    return stack;
}

void sg_heap_walk_forget(void) {
    n_known = 0;
    atomic_store(&n_bad, 0);
}

uint64_t sg_heap_walk_bad(void) { return atomic_load(&n_bad); }
