/* A stack without C frames comes from a walk of the Python frames (frames/walk.h), a stack with C
 * frames from unwind/native_stack.h, which merges both. Without C frames a stack is never empty: if
 * a thread has no Python frames, it gets one pseudo-frame, <native> if it has a PyThreadState and
 * <no Python thread> if it has none. */
#include "heap/capture.h"

#include <stdatomic.h>

#include "frames/walk.h"
#include "interpreter/calling_thread.h"
#include "platform/thread_ids.h"
#include "platform/time.h"
#include "unwind/native_stack.h"

uint32_t sg_heap_capture_depth = SG_STACK_DEPTH_DEFAULT; /* described in samples.h */
_Atomic bool sg_heap_capture_has_native;
static int64_t start_ns; /* written by prepare with the GIL held, then constant */

/* pthread_t of the thread that runs a garbage collection, 0 = none. Lock-free. A pthread_t serves
 * because a thread reads its own without a call. */
static _Atomic uintptr_t collector;

const char *sg_heap_capture_prepare(int64_t start_mono_ns) {
    start_ns = start_mono_ns;
    return sg_calling_thread_prepare();
}

struct sg_heap_moment sg_heap_capture_moment(void) {
    return (struct sg_heap_moment){
        .time = sg_time_units_since(start_ns),
        .tid = sg_thread_ids_own(),
        .is_collector =
            atomic_load_explicit(&collector, memory_order_relaxed) == sg_thread_ids_self(),
    };
}

uint32_t sg_heap_capture_frames(const void *thread, struct sg_frame *frames, uint32_t capacity) {
    struct sg_walk walk = {
        .thread = thread,
        .is_settled = true,
        .frames = frames,
        .capacity = capacity,
    };
    if (thread)
        sg_frames_walk(&walk);
    if (!walk.depth)
        frames[walk.depth++] = (struct sg_frame){thread ? SG_NATIVE : SG_NO_PYTHON_THREAD, -1};
    return walk.depth;
}

uint32_t sg_heap_capture_native(const void *thread, struct sg_frame *frames, uint32_t capacity) {
    if (!sg_heap_capture_is_native())
        return 0;
    struct sg_unwind_stack stack = {0, 0};
    struct sg_native_stack taken = {
        .thread = thread,
        .stack = &stack,
        .frames = frames,
        .capacity = capacity,
    };
    return sg_native_stack_take(&taken) ? taken.depth : 0;
}

void sg_heap_capture_set_collector(bool is_collecting) {
    atomic_store(&collector, is_collecting ? sg_thread_ids_self() : 0);
}

void sg_heap_capture_forget(void) {
    atomic_store(&collector, 0);
    atomic_store(&sg_heap_capture_has_native, false);
}
