/* Merges by address (from 3.11 on) or by count (up to 3.10). */
#include "unwind/merge.h"

#include <stdatomic.h>

#include "platform/memory.h"
#include "unwind/loop.h"

enum {
    N_SCRATCH = 64, /* handlers that run at the same time or were preempted */
    MOST_C_FRAMES = 2048,
    /* Stands in `frames` for an evaluation loop whose Python frame is not known yet. */
    LOOP = SG_NO_CODE,
    LASTI_OF_LOOP = -2,
};

struct entry {
    atomic_flag is_claimed;
    struct sg_merge_scratch scratch;
};

static struct entry *entries; /* (N_SCRATCH,); sg_merge_prepare sets it before any claim */

/* Layout of the evaluation loop's C frame, which is the same in every call: │ end of its frame
 * minus the border: 32 bits │ saved frame pointer minus that end: 32 │; 0 = not known yet.
 * Lock-free. */
static _Atomic uint64_t loop_shape;

int sg_merge_prepare(void) {
    if (!entries)
        entries = sg_memory_map(N_SCRATCH * sizeof *entries);
    return entries ? 0 : -1;
}

void sg_merge_discard(void) {
    sg_memory_unmap(entries, N_SCRATCH * sizeof *entries);
    sg_merge_forget();
}

void sg_merge_forget(void) {
    entries = NULL;
    atomic_store(&loop_shape, 0);
}

struct sg_merge_scratch *sg_merge_scratch_claim(void) {
    for (int i = 0; entries && i < N_SCRATCH; i++)
        if (!atomic_flag_test_and_set_explicit(&entries[i].is_claimed, memory_order_acquire))
            return &entries[i].scratch;
    return NULL;
}

void sg_merge_scratch_release(struct sg_merge_scratch *scratch) {
    struct entry *entry = (struct entry *)((char *)scratch - offsetof(struct entry, scratch));
    atomic_flag_clear_explicit(&entry->is_claimed, memory_order_release);
}

static bool add(struct sg_merge *merge, struct sg_frame frame) {
    return sg_frame_append(merge->frames, merge->capacity, &merge->depth, frame);
}

/* ---- By address ---- */

struct progress {
    uint32_t border; /* index of the next border */
    uint32_t python; /* index of the next Python frame */
    uint32_t depth;  /* output depth behind the last Python frame */
    bool is_c;       /* the last frame added is a C frame */
};

/* Add the Python frames up to the next border, in the place of an evaluation loop. Returns false if
 * there is no room. */
static bool pass_border(struct sg_merge *merge, struct progress *progress) {
    uint32_t end = merge->borders[progress->border++].depth;
    if (!progress->python && end && merge->is_collecting &&
        !add(merge, (struct sg_frame){SG_GC, -1}))
        return false;
    while (progress->python < end)
        if (!add(merge, merge->python[progress->python++]))
            return false;
    progress->depth = merge->depth;
    return true;
}

static void learn_shape(const struct sg_unwind_rule *rule, uintptr_t end, uintptr_t border) {
    if (rule->frame_pointer != SG_SAVED_AT_CFA || end - border > INT32_MAX)
        return;
    uint64_t shape = (uint64_t)(end - border) << 32 | (uint32_t)rule->frame_pointer_offset;
    if (atomic_load_explicit(&loop_shape, memory_order_relaxed) != shape)
        atomic_store_explicit(&loop_shape, shape, memory_order_relaxed);
}

/* Continue unwinding at the caller of the evaluation loop that contains the next border. Needed
 * where C code without a rule, or the first function of a coroutine, hides its callers. Returns
 * false if that is not possible. */
static bool resume(struct sg_merge *merge, struct progress *progress) {
    enum { WORD_BYTES = 8 };
    struct sg_unwinder *unwinder = merge->unwinder;
    uint64_t shape = atomic_load_explicit(&loop_shape, memory_order_relaxed);
    uintptr_t pc, fp;
    if (!shape || progress->border == merge->n_borders)
        return false;
    uintptr_t border = merge->borders[progress->border].address;
    uintptr_t end = border + (uintptr_t)(shape >> 32);
    uintptr_t saved = end + (uintptr_t)(intptr_t)(int32_t)(uint32_t)shape;
    if (border < unwinder->sp || end > unwinder->bounds.end) /* the border is on another stack */
        unwinder->bounds = sg_unwind_stack_find(unwinder->bounds.stack, border);
    if (!sg_unwind_stack_load(&unwinder->bounds, end - WORD_BYTES, &pc) ||
        !sg_unwind_stack_load(&unwinder->bounds, saved, &fp))
        return false;
    merge->is_truncated = true;
    if (!add(merge, (struct sg_frame){SG_TRUNCATED, -1}) || !pass_border(merge, progress))
        return false;
    sg_unwinder_resume(unwinder, pc, end, fp);
    return true;
}

static bool add_python(struct sg_merge *merge, struct progress *progress) {
    while (progress->python < merge->n_python)
        if (!add(merge, merge->python[progress->python++]))
            return false;
    return true;
}

/* Add the rest of the Python frames where the C frames end. */
static void add_rest(struct sg_merge *merge, struct progress *progress, bool is_stuck) {
    if (is_stuck && progress->python < merge->n_python) {
        merge->is_truncated = true;
        if (!add(merge, (struct sg_frame){SG_TRUNCATED, -1}))
            return;
    }
    while (progress->border < merge->n_borders)
        if (!pass_border(merge, progress))
            return;
    add_python(merge, progress);
}

/* Handle an evaluation loop without a border. Returns false if the stack ends here. */
static bool pass_loop(struct sg_merge *merge, struct progress *progress) {
    if (progress->border < merge->n_borders || !merge->n_python)
        return true; /* the loop is entering a call */
    if (progress->python < merge->n_python) {
        /* the walk of Python frames ended before the loop's border */
        add_python(merge, progress);
        return false;
    }
    /* All Python frames are further inside, so the loop belongs to another interpreter, or to the
     * greenlet that was switched from. So do the C frames since the last Python frame. */
    merge->depth = progress->depth;
    return false;
}

/* Add the C frame at which the unwinder stood; `to` is the end of the frame's part of the stack.
 * Returns false if the stack ends here or there is no room. */
static bool add_c_frame(struct sg_merge *merge, struct progress *progress, uintptr_t code,
                        uintptr_t to) {
    bool is_border = false, is_called_by_loop = progress->is_c;
    progress->is_c = false;
    while (progress->border < merge->n_borders && merge->borders[progress->border].address < to) {
        /* The last frame may belong to the function of an instruction, a part of the loop. */
        if (!is_border && is_called_by_loop && sg_loop_has_functions())
            merge->depth--;
        is_border = true;
        if (!pass_border(merge, progress))
            return false;
    }
    if (is_border)
        return true;
    if (sg_loop_holds(code))
        return pass_loop(merge, progress);
    progress->is_c = true;
    return add(merge, sg_frame_of_native(code));
}

/* Merge one C frame, and step to its caller. */
static enum sg_unwind_end merge_c_frame(struct sg_merge *merge, struct progress *progress) {
    struct sg_unwinder *unwinder = merge->unwinder;
    uintptr_t code = sg_unwinder_code(unwinder);
    sg_unwind_rule_id id = sg_unwind_tables_find(unwinder->map, code);
    uint32_t border = progress->border;
    enum sg_unwind_end end = sg_unwinder_step(unwinder);
    if (end != SG_UNWIND_GOES_ON && border < merge->n_borders) {
        bool has_room = sg_loop_holds(code) || add(merge, sg_frame_of_native(code));
        return has_room && resume(merge, progress) ? SG_UNWIND_GOES_ON : SG_UNWIND_STUCK;
    }
    uintptr_t to = end == SG_UNWIND_GOES_ON ? unwinder->sp : 0;
    if (!add_c_frame(merge, progress, code, to))
        return SG_UNWIND_AT_ROOT;
    if (progress->border == border + 1 && sg_loop_holds(code))
        learn_shape(sg_unwind_rules_get(id), to, merge->borders[border].address);
    return end;
}

static void merge_by_address(struct sg_merge *merge) {
    struct progress progress = {0};
    enum sg_unwind_end end = SG_UNWIND_GOES_ON;
    for (int i = 0; end == SG_UNWIND_GOES_ON && i < MOST_C_FRAMES; i++)
        end = merge_c_frame(merge, &progress);
    add_rest(merge, &progress, end == SG_UNWIND_STUCK);
}

/* ---- By count ---- */

/* Replace the loops in the output by Python frames. Surplus loops are entering a call, which only
 * the innermost ones can. Surplus frames mean that the C frames end early. */
static void replace_loops(struct sg_merge *merge, uint32_t n_loops) {
    uint32_t n_surplus = n_loops > merge->n_python ? n_loops - merge->n_python : 0;
    uint32_t n_c = merge->depth, python = 0;
    merge->depth = 0;
    for (uint32_t i = 0; i < n_c; i++) {
        struct sg_frame frame = merge->frames[i];
        if (frame.code != LOOP || frame.lasti != LASTI_OF_LOOP)
            merge->frames[merge->depth++] = frame;
        else if (n_surplus)
            n_surplus--;
        else
            merge->frames[merge->depth++] = merge->python[python++];
    }
    if (python == merge->n_python)
        return;
    merge->is_truncated = true;
    if (!add(merge, (struct sg_frame){SG_TRUNCATED, -1}))
        return;
    while (python < merge->n_python)
        if (!add(merge, merge->python[python++]))
            return;
}

static void merge_by_count(struct sg_merge *merge) {
    struct sg_unwinder *unwinder = merge->unwinder;
    enum sg_unwind_end end = SG_UNWIND_GOES_ON;
    uint32_t n_loops = 0;
    bool has_room = true;
    for (int i = 0; end == SG_UNWIND_GOES_ON && has_room && i < MOST_C_FRAMES; i++) {
        uintptr_t code = sg_unwinder_code(unwinder);
        bool is_eval = sg_loop_holds(code);
        n_loops += is_eval;
        has_room =
            add(merge, is_eval ? (struct sg_frame){LOOP, LASTI_OF_LOOP} : sg_frame_of_native(code));
        end = sg_unwinder_step(unwinder);
    }
    replace_loops(merge, n_loops);
}

void sg_merge_run(struct sg_merge *merge) {
    if (merge->is_counted && merge->n_python)
        merge_by_count(merge);
    else
        merge_by_address(merge);
}
