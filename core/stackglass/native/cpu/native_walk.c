/* Walk of an interrupted thread's C and Python frames. */
#include "cpu/native_walk.h"

#include <stdatomic.h>

#include "cpu/signal_walk.h"
#include "interpreter/debug_offsets.h"
#include "platform/machine.h"
#include "unwind/merge.h"

/* Lock-free. */
static _Atomic uint64_t n_stacks, n_truncated;

enum { LAST_MINOR_WITHOUT_BORDERS = 10 };

static uint32_t walk_both(struct sg_slot *slot, const void *thread, const void *context,
                          const struct sg_unwind_map *map, struct sg_merge_scratch *scratch,
                          struct sg_wanted_frames *wanted, struct sg_merge *merge) {
    struct sg_unwinder unwinder;
    sg_unwinder_begin(&unwinder, map, &slot->native_stack, context);
    struct sg_borders borders = {.at = scratch->borders, .capacity = SG_MERGE_BORDERS};
    if (thread) {
        struct sg_walk walk = {
            .thread = thread,
            .pc = unwinder.pc,
            .context = context,
            .stack_low = unwinder.sp,
            .stack_high = unwinder.bounds.is_foreign ? unwinder.sp : unwinder.bounds.end,
            .pages = &slot->pages,
            .wanted = wanted,
            .borders = &borders,
            .frames = scratch->frames,
            .capacity = SG_MERGE_FRAMES,
        };
        sg_frames_walk(&walk);
        sg_signal_walk_count(&walk);
        merge->n_python = walk.depth;
        merge->is_collecting = sg_signal_walk_is_collecting(thread, unwinder.pc);
    }
    merge->unwinder = &unwinder;
    merge->python = scratch->frames;
    merge->borders = borders.at;
    merge->n_borders = borders.n;
    merge->is_counted = sg_debug_offsets.minor <= LAST_MINOR_WITHOUT_BORDERS;
    sg_merge_run(merge);
    if (!thread && merge->depth < merge->capacity)
        merge->frames[merge->depth++] = (struct sg_frame){SG_NO_PYTHON_THREAD, -1};
    atomic_fetch_add_explicit(&n_stacks, 1, memory_order_relaxed);
    if (merge->is_truncated)
        atomic_fetch_add_explicit(&n_truncated, 1, memory_order_relaxed);
    return merge->depth;
}

uint32_t sg_native_walk(struct sg_slot *slot, const void *thread, const void *context,
                        struct sg_frame *frames, uint32_t capacity,
                        struct sg_wanted_frames *wanted) {
    struct sg_merge merge = {.frames = frames, .capacity = capacity};
    const struct sg_unwind_map *map = sg_unwind_tables_enter();
    struct sg_merge_scratch *scratch = map ? sg_merge_scratch_claim() : NULL;
    uint32_t depth = 0;
    if (scratch) {
        depth = walk_both(slot, thread, context, map, scratch, wanted, &merge);
        sg_merge_scratch_release(scratch);
    }
    if (map)
        sg_unwind_tables_leave();
    if (!depth) {
        if (wanted)
            wanted->found = 0;
        depth = sg_signal_walk(slot, thread, context, frames, capacity, wanted);
    }
    return depth;
}

struct sg_native_walk_counts sg_native_walk_counts(void) {
    return (struct sg_native_walk_counts){
        .n_stacks = atomic_load(&n_stacks),
        .n_truncated = atomic_load(&n_truncated),
    };
}
