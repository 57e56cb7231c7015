#include "heap/native_sites.h"

#include "heap/capture.h"
#include "heap/ledger.h"

#define SG_COLD __attribute__((noinline, cold))

/* Record an allocation with C frames. Returns false if no C frames are found. A stack with C frames
 * is interned as a whole, not compared with the thread's last one (frames/stack_memo.h). */
SG_COLD static bool alloc_native(const struct sg_heap_moment *moment,
                                 const struct sg_heap_alloc *alloc) {
    uint32_t capacity = sg_heap_capture_depth;
    struct sg_frame frames[capacity];
    uint32_t depth = sg_heap_capture_native(alloc->thread, frames, capacity - 1);
    if (!depth)
        return false;
    if (!alloc->thread)
        frames[depth++] = (struct sg_frame){SG_NO_PYTHON_THREAD, -1};
    sg_heap_ledger_alloc_at(moment, alloc, frames, depth);
    return true;
}

void sg_heap_native_sites_alloc(const struct sg_heap_moment *moment,
                                const struct sg_heap_alloc *alloc) {
    if (!sg_heap_capture_is_native() || !alloc_native(moment, alloc))
        sg_heap_ledger_alloc(moment, alloc);
}
