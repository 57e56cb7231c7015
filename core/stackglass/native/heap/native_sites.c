/* Chooses between the walk with C frames and the ledger's own capture of Python frames. */
#include "heap/native_sites.h"

#include "heap/capture.h"
#include "heap/ledger.h"
#include "platform/gate.h"
#include "platform/hints.h"

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
    bool is_recorded = false;
    /* The gate keeps the depth of stacks as it is between the walk and the record. */
    if (sg_heap_capture_is_native() && sg_gate_enter(SG_GATE_HEAP)) {
        is_recorded = alloc_native(moment, alloc);
        sg_gate_leave(SG_GATE_HEAP);
    }
    if (!is_recorded)
        sg_heap_ledger_alloc(moment, alloc);
}
