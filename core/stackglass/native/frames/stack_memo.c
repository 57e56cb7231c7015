/* How a stack is compared with the memo.
 *
 *     innermost frame ──▶ read into `fresh`, leaf first, until a frame of the memo is met
 *                             ▼
 *     follow: all the same from there to the root?   yes: known[0, met) stays, `fresh` is put above
 *                                                    no: the steps that are the same are copied to
 *                                                        `fresh`, and reading goes on below them
 *
 * So either all steps below the met frame stay or none does. That is enough, because changes are
 * usually near the leaf. The frame that is met must be among the 8 innermost of the memo's steps
 * that were not compared yet, as more calls seldom return between two readings. */
#include "frames/stack_memo.h"

#include "frames/frame_fields.h"
#include "frames/walk.h"
#include "interpreter/debug_offsets.h"
#include "platform/memory.h"

enum {
    N_TRIED = 8, /* known steps, from the leaf on, with which a frame is compared */
};

/* A copy of the members of sg_debug_offsets that a reading needs: the compiler can keep this copy
 * in registers. */
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

static inline bool is_shim(uintptr_t frame, struct offsets at) {
    return at.owner >= 0 && *(const uint8_t *)(frame + at.owner) >= SG_FIRST_SHIM_OWNER;
}

static inline struct sg_stack_step read_step(uintptr_t frame, struct offsets at) {
    if (is_shim(frame, at))
        return (struct sg_stack_step){.frame = frame, .is_shim = true};
    return (struct sg_stack_step){
        .frame = frame,
        .code = sg_memory_load(frame + at.code),
        .instruction = sg_memory_load(frame + at.instruction) & at.instruction_mask,
    };
}

/* Has the frame at the step's address still the same code and instruction? */
static inline bool is_same(const struct sg_stack_step *step, struct offsets at) {
    if (step->is_shim)
        return is_shim(step->frame, at);
    return step->code == sg_memory_load(step->frame + at.code) &&
           step->instruction ==
               (sg_memory_load(step->frame + at.instruction) & at.instruction_mask);
}

/* Compare the steps from known[n - 1], whose frame was met, to the root. Returns how many steps on
 * the root's side differ or were not compared; 0 = all are the same. `frame` becomes the caller of
 * the last step that is the same; 0 if that step has no callers except entry frames. It stays as it
 * is if no step is the same. */
static inline uint32_t follow(const struct sg_stack_memo *memo, uint32_t n, uintptr_t *frame,
                              struct offsets at) {
    const struct sg_stack_step *known = memo->known;
    while (n && is_same(&known[n - 1], at)) {
        *frame = sg_memory_load(known[n - 1].frame + at.previous);
        n--;
        if (n && known[n - 1].frame != *frame)
            return n;
    }
    while (!n && *frame && is_shim(*frame, at))
        *frame = sg_memory_load(*frame + at.previous);
    return n;
}

/* Return 1 + the index of the step with this `frame` among the N_TRIED steps before `top`, or 0. */
static inline uint32_t meet(const struct sg_stack_memo *memo, uint32_t top, uintptr_t frame) {
    for (uint32_t n = top; n && top - n < N_TRIED; n--)
        if (memo->known[n - 1].frame == frame)
            return n;
    return 0;
}

/* Steps that a reading has collected, leaf first, and how many it may collect. */
struct reading {
    struct sg_stack_step *steps;
    uint32_t n, n_frames, most, most_frames;
};

static inline bool has_room(const struct reading *reading) {
    return reading->n < reading->most && reading->n_frames < reading->most_frames;
}

static inline void add(struct reading *reading, struct sg_stack_step step) {
    reading->n_frames += !step.is_shim;
    reading->steps[reading->n++] = step;
}

/* May known[0, met) stay below the new steps? */
static inline bool fits(const struct sg_stack_memo *memo, uint32_t met, const struct reading *fresh,
                        bool is_cut) {
    uint32_t n_frames = memo->known[met - 1].n_frames + fresh->n_frames;
    return is_cut == memo->is_cut && met + fresh->n <= fresh->most &&
           (is_cut && !memo->slack ? n_frames == memo->capacity : n_frames <= memo->capacity);
}

/* Collect the steps above known[0, *n_same), and set `n_same`. */
static struct reading read_fresh(struct sg_stack_memo *memo, const void *thread, uint32_t *n_same) {
    struct offsets at = find_offsets();
    struct reading fresh = {
        .steps = memo->fresh,
        .most = SG_STACK_MEMO_STEPS(memo->capacity),
        .most_frames = memo->capacity,
    };
    uint32_t top = memo->n_known;
    uintptr_t frame = sg_frame_fields_innermost(thread);
    while (frame && has_room(&fresh)) {
        uint32_t met = meet(memo, top, frame);
        if (met) {
            top = follow(memo, met, &frame, at);
            if (!top && fits(memo, met, &fresh, frame != 0)) {
                *n_same = met;
                return fresh;
            }
            while (met > top && has_room(&fresh)) /* steps below differ: treat these as new */
                add(&fresh, memo->known[--met]);
            if (met > top || !frame || !has_room(&fresh))
                break;
        }
        add(&fresh, read_step(frame, at));
        frame = sg_memory_load(frame + at.previous);
    }
    while (frame && is_shim(frame, at)) /* a stack that lacks only entry frames is not cut */
        frame = sg_memory_load(frame + at.previous);
    memo->is_cut = frame != 0;
    *n_same = 0;
    for (uint32_t n = memo->is_cut ? memo->slack : 0; n && fresh.n;)
        n -= !fresh.steps[--fresh.n].is_shim;
    return fresh;
}

uint32_t sg_stack_memo_read(struct sg_stack_memo *memo, const void *thread) {
    uint64_t deaths = sg_code_ids_deaths();
    uint32_t n_same = 0;
    if (deaths != memo->deaths)
        memo->n_known = 0; /* another code object may have the address of a known one that died */
    memo->deaths = deaths;
    struct reading fresh = read_fresh(memo, thread, &n_same);
    memo->n_known = n_same;
    uint32_t n_frames = n_same ? memo->known[n_same - 1].n_frames : 0;
    while (fresh.n) {
        struct sg_stack_step *step = &memo->known[memo->n_known++];
        *step = fresh.steps[--fresh.n];
        step->n_frames = n_frames += !step->is_shim;
    }
    return n_same;
}

enum sg_stack_seen sg_stack_memo_look(const struct sg_stack_step *step, struct sg_frame *frame) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    if (step->is_shim)
        return SG_STEP_IS_HIDDEN;
    uintptr_t code = sg_frame_fields_untag(step->code);
    frame->code = sg_walk_identify(code);
    if (frame->code == SG_NO_CODE)
        return SG_STEP_IS_NONE;
    if (at->minor <= 10) {
        frame->lasti = sg_frame_fields_object_lasti((int32_t)step->instruction);
        return SG_STEP_IS_FRAME;
    }
    intptr_t lasti = sg_frame_fields_struct_lasti(step->instruction, code);
    bool is_generators = *(const uint8_t *)(step->frame + at->owner) == SG_OWNED_BY_GENERATOR;
    if (!is_generators && lasti < 2 * sg_memory_load_int(code + (uintptr_t)at->co_firsttraceable))
        return SG_STEP_IS_HIDDEN;
    if (lasti < -2 || lasti > INT32_MAX)
        return SG_STEP_IS_NONE;
    frame->lasti = lasti < 0 ? -1 : (int32_t)lasti;
    return SG_STEP_IS_FRAME;
}
