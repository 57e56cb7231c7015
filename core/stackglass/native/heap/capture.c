/* What a hook learns of its own thread: the time, its Python stack (walk.h) and, where native
 * stacks are on, the Python stack merged with the C frames (unwind/). Without C frames a stack is
 * never empty: a thread of C code gets one frame, <native> with a Python state, <no Python thread>
 * without. */
#include "heap/capture.h"

#include <stdatomic.h>

#include "frames/walk.h"
#include "interpreter/calling_thread.h"
#include "platform/thread_ids.h"
#include "platform/time.h"
#include "unwind/native_stack.h"

uint32_t sg_heap_capture_depth = SG_STACK_DEPTH_DEFAULT; /* samples.h says who writes it */
_Atomic bool sg_heap_capture_has_native;
static int64_t start_ns; /* written by prepare under the GIL, then constant */

/* Lock-free: pthread_t of the collecting thread, 0 = none. A thread reads its own without a call.
 */
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
