/* Walk of an interrupted thread's C and Python frames, merged by unwind/native_stack.h; the Python
 * frames alone if there are no C frames. */
#include "cpu/native_walk.h"

#include <stdatomic.h>

#include "cpu/signal_walk.h"
#include "unwind/native_stack.h"

/* Lock-free. */
static _Atomic uint64_t n_stacks, n_truncated;

uint32_t sg_native_walk(struct sg_slot *slot, const void *thread, const void *context,
                        struct sg_frame *frames, uint32_t capacity,
                        struct sg_wanted_frames *wanted) {
    struct sg_native_stack taken = {
        .thread = thread,
        .context = context,
        .stack = &slot->native_stack,
        .pages = &slot->pages,
        .wanted = wanted,
        .frames = frames,
        .capacity = capacity,
    };
    if (!sg_native_stack_take(&taken) || !taken.depth) {
        if (wanted)
            wanted->found = 0;
        return sg_signal_walk(slot, thread, context, frames, capacity, wanted);
    }
    if (!thread && taken.depth < capacity)
        frames[taken.depth++] = (struct sg_frame){SG_NO_PYTHON_THREAD, -1};
    if (taken.is_bad)
        sg_signal_walk_count_bad();
    atomic_fetch_add_explicit(&n_stacks, 1, memory_order_relaxed);
    if (taken.is_truncated)
        atomic_fetch_add_explicit(&n_truncated, 1, memory_order_relaxed);
    return taken.depth;
}

struct sg_native_walk_counts sg_native_walk_counts(void) {
    return (struct sg_native_walk_counts){
        .n_stacks = atomic_load(&n_stacks),
        .n_truncated = atomic_load(&n_truncated),
    };
}
