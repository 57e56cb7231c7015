/* The calling thread and the present: see heap_capture.h. */
#include "heap_capture.h"

#include <Python.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cpu.h"
#include "frames.h"
#include "layout.h"
#include "memory.h"
#include "snapshot.h"

enum { MAX_ENGINE_THREADS = 16 };

/* Written by prepare under the GIL, then constant. */
static void *(*current_thread)(void); /* the thread state that has the GIL, or NULL */
static int32_t tid_in_pthread;        /* 0 = ask the system */
static int64_t start_ns;

/* Lock-free. As pthread_t: reading one's own costs no call. */
static _Atomic uintptr_t engine_threads[MAX_ENGINE_THREADS]; /* 0 = free */
static _Atomic int n_engine_threads;
static _Atomic uintptr_t collector; /* 0 = no collection goes on */

const char *sg_heap_capture_prepare(int64_t start_mono_ns) {
    void *symbol = dlsym(RTLD_DEFAULT, "PyThreadState_GetUnchecked");
    if (!symbol) /* before 3.13 */
        symbol = dlsym(RTLD_DEFAULT, "_PyThreadState_UncheckedGet");
    if (!symbol)
        return "this interpreter does not say which thread state is the current one";
    memcpy(&current_thread, &symbol, sizeof symbol);
    tid_in_pthread = sg_snapshot_tid_in_pthread();
    start_ns = start_mono_ns;
    return NULL;
}

static uint32_t time_now(void) {
    struct timespec now; /* the kernel's last tick: 4 ms old at most, and a third of the price */
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    int64_t since_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - start_ns;
    return since_ns > 0 ? (uint32_t)(since_ns / SG_TIME_UNIT_NS) : 0;
}

struct sg_heap_moment sg_heap_capture_moment(void) {
    uintptr_t self = (uintptr_t)pthread_self();
    return (struct sg_heap_moment){
        .time = time_now(),
        .tid = tid_in_pthread ? sg_load_int(self + (uintptr_t)tid_in_pthread)
                              : (pid_t)syscall(SYS_gettid),
        .is_collector = atomic_load_explicit(&collector, memory_order_relaxed) == self,
    };
}

/* The thread state of the calling thread, or NULL. With the GIL it is the current one, unless an
 * extension allocates without the GIL that it should hold: then the current one is another
 * thread's, which runs. */
const void *sg_heap_capture_thread(bool has_gil) {
    void *thread = has_gil ? current_thread() : NULL;
    if (thread && sg_load((uintptr_t)thread + sg_layout.thread_id) == (uint64_t)pthread_self())
        return thread;
    void *bound = PyGILState_GetThisThreadState();
    return !has_gil || thread == bound ? bound : NULL;
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
    uintptr_t self = (uintptr_t)pthread_self();
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
            atomic_compare_exchange_strong(&engine_threads[i], &none, (uintptr_t)pthread_self());
        if (is_adopted)
            atomic_fetch_add(&n_engine_threads, 1);
    }
}

void sg_heap_disown_engine_thread(void) {
    for (int i = 0; i < MAX_ENGINE_THREADS; i++) {
        uintptr_t expected = (uintptr_t)pthread_self();
        if (atomic_compare_exchange_strong(&engine_threads[i], &expected, 0))
            atomic_fetch_sub(&n_engine_threads, 1);
    }
}

void sg_heap_capture_set_collector(bool is_collecting) {
    atomic_store(&collector, is_collecting ? (uintptr_t)pthread_self() : 0);
}

void sg_heap_capture_forget(void) {
    for (int i = 0; i < MAX_ENGINE_THREADS; i++)
        atomic_store(&engine_threads[i], 0);
    atomic_store(&n_engine_threads, 0);
    atomic_store(&collector, 0);
}
