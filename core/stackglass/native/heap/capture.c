/* The calling thread and the present: see capture.h. */
#include "heap/capture.h"

#include <stdatomic.h>

#include "frames/walk.h"
#include "interpreter/calling_thread.h"

enum { MAX_ENGINE_THREADS = 16 };

static int64_t start_ns; /* written by prepare under the GIL, then constant */

/* Lock-free. As pthread_t: reading one's own costs no call. */
static _Atomic uintptr_t engine_threads[MAX_ENGINE_THREADS]; /* 0 = free */
static _Atomic int n_engine_threads;
static _Atomic uintptr_t collector; /* 0 = no collection goes on */

const char *sg_heap_capture_prepare(int64_t start_mono_ns) {
    start_ns = start_mono_ns;
    return sg_calling_thread_prepare();
}

struct sg_heap_moment sg_heap_capture_moment(void) {
    return (struct sg_heap_moment){
        .time = sg_time_units_since(start_ns),
        .tid = sg_calling_thread_tid(),
        .is_collector =
            atomic_load_explicit(&collector, memory_order_relaxed) == sg_calling_thread_self(),
    };
}

uint32_t sg_heap_capture_frames(const void *thread, struct sg_frame *frames) {
    struct sg_walk walk = {
        .thread = thread,
        .is_settled = true,
        .frames = frames,
        .capacity = SG_HEAP_DEPTH,
    };
    if (thread)
        sg_frames_walk(&walk);
    if (!walk.depth)
        frames[walk.depth++] = (struct sg_frame){thread ? SG_NATIVE : SG_NO_PYTHON_THREAD, -1};
    return walk.depth;
}

bool sg_heap_capture_is_engine(void) {
    uintptr_t self = sg_calling_thread_self();
    if (!atomic_load_explicit(&n_engine_threads, memory_order_relaxed))
        return false;
    for (int i = 0; i < MAX_ENGINE_THREADS; i++) {
        if (atomic_load_explicit(&engine_threads[i], memory_order_relaxed) == self)
            return true;
    }
    return false;
}

void sg_heap_adopt_engine_thread(void) {
    bool is_adopted = sg_heap_capture_is_engine();
    for (int i = 0; i < MAX_ENGINE_THREADS && !is_adopted; i++) {
        uintptr_t none = 0;
        is_adopted =
            atomic_compare_exchange_strong(&engine_threads[i], &none, sg_calling_thread_self());
        if (is_adopted)
            atomic_fetch_add(&n_engine_threads, 1);
    }
}

void sg_heap_disown_engine_thread(void) {
    for (int i = 0; i < MAX_ENGINE_THREADS; i++) {
        uintptr_t expected = sg_calling_thread_self();
        if (atomic_compare_exchange_strong(&engine_threads[i], &expected, 0))
            atomic_fetch_sub(&n_engine_threads, 1);
    }
}

void sg_heap_capture_set_collector(bool is_collecting) {
    atomic_store(&collector, is_collecting ? sg_calling_thread_self() : 0);
}

void sg_heap_capture_forget(void) {
    for (int i = 0; i < MAX_ENGINE_THREADS; i++)
        atomic_store(&engine_threads[i], 0);
    atomic_store(&n_engine_threads, 0);
    atomic_store(&collector, 0);
}
