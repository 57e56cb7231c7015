/* Walks the Python frames first, and then unwinds and merges the C frames. */
#include "unwind/native_stack.h"

#include "interpreter/collector.h"
#include "interpreter/debug_offsets.h"
#include "unwind/loop.h"
#include "unwind/merge.h"
#include "unwind/system_call.h"

enum { LAST_MINOR_WITHOUT_BORDERS = 10, MOST_OWN_FRAMES = 32, LEAST_FRAMES = 2 };

/* Position the unwinder at the caller of this function. */
__attribute__((noinline)) static void begin_here(struct sg_unwinder *unwinder,
                                                 struct sg_unwind_stack *stack,
                                                 const struct sg_unwind_map *map) {
    const uintptr_t *frame =
        __builtin_frame_address(0); /* caller's frame pointer, return address */
    uintptr_t sp = (uintptr_t)(frame + 2);
    unwinder->map = map;
    unwinder->bounds = sg_unwind_stack_find(stack, sp);
    sg_unwinder_resume(unwinder, frame[1], sp, frame[0]);
}

/* Step to the first frame that is not the engine's. */
static void leave_engine(struct sg_unwinder *unwinder) {
    uintptr_t own = (uintptr_t)&leave_engine;
    for (int i = 0; i < MOST_OWN_FRAMES; i++)
        if (!sg_unwind_tables_share(unwinder->map, sg_unwinder_code(unwinder), own) ||
            sg_unwinder_step(unwinder) != SG_UNWIND_GOES_ON)
            return;
}

static void walk_python(struct sg_native_stack *taken, const struct sg_unwinder *unwinder,
                        struct sg_merge_scratch *scratch, struct sg_merge *merge) {
    struct sg_borders borders = {.at = scratch->borders, .capacity = SG_MERGE_BORDERS};
    struct sg_walk walk = {
        .thread = taken->thread,
        .pc = taken->context ? unwinder->pc : 0,
        .context = taken->context,
        .is_settled = !taken->context,
        .stack_low = unwinder->sp,
        .stack_high = unwinder->bounds.is_foreign ? unwinder->sp : unwinder->bounds.end,
        .pages = taken->pages,
        .wanted = taken->wanted,
        .borders = &borders,
        .frames = scratch->frames,
        .capacity = SG_MERGE_FRAMES,
    };
    sg_frames_walk(&walk);
    taken->is_bad = walk.is_bad;
    merge->python = scratch->frames;
    merge->n_python = walk.depth;
    merge->borders = borders.at;
    merge->n_borders = borders.n;
    merge->is_counted = sg_debug_offsets.minor <= LAST_MINOR_WITHOUT_BORDERS;
    merge->is_collecting =
        taken->context && !sg_loop_holds(unwinder->pc) && sg_collector_runs(taken->thread);
}

static void take(struct sg_native_stack *taken, const struct sg_unwind_map *map,
                 struct sg_merge_scratch *scratch) {
    struct sg_unwinder unwinder;
    uint32_t n_kernel = taken->context && taken->capacity > LEAST_FRAMES &&
                        sg_system_call_find(taken->context, taken->frames);
    struct sg_merge merge = {.unwinder = &unwinder,
                             .frames = taken->frames + n_kernel,
                             .capacity = taken->capacity - n_kernel};
    if (taken->context) {
        sg_unwinder_begin(&unwinder, map, taken->stack, taken->context);
    } else {
        begin_here(&unwinder, taken->stack, map);
        leave_engine(&unwinder);
    }
    if (taken->thread)
        walk_python(taken, &unwinder, scratch, &merge);
    sg_merge_run(&merge);
    taken->depth = merge.depth ? merge.depth + n_kernel : 0;
    taken->is_truncated = merge.is_truncated;
}

bool sg_native_stack_take(struct sg_native_stack *taken) {
    const struct sg_unwind_map *map = sg_unwind_tables_enter();
    struct sg_merge_scratch *scratch = map ? sg_merge_scratch_claim() : NULL;
    if (scratch) {
        take(taken, map, scratch);
        sg_merge_scratch_release(scratch);
    }
    if (map)
        sg_unwind_tables_leave();
    return scratch != NULL;
}
