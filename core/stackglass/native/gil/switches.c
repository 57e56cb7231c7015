/* A table of the threads' open gaps, measured with getrusage: a gap counts only if the thread has
 * made no voluntary context switch in it and has used little CPU time.
 *
 * A hash of a thread's pthread_t chooses its place. If two threads share a place, the second gap
 * replaces the first: close_gap takes a gap by compare-and-swap, and only its own thread's. */
#include "gil/switches.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <time.h>

#include "platform/permitted_calls.h"
#include "platform/thread_ids.h"
#include "platform/time.h"

enum {
    BITS = 10,                /* 2^BITS places; threads that share a place lose each other's gaps */
    MOST_WORK_NS = 200 * 1000 /* a thread that used more CPU time was busy */
};

/* A place. Lock-free; a thread writes only the place that its hash chooses. */
static struct gap {
    _Atomic uintptr_t thread; /* pthread_self(); 0 = none */
    _Atomic uint64_t began_ns;
    _Atomic uint64_t work_ns;
    _Atomic long n_sleeps;
} gaps[1 << BITS];

static struct gap *own_gap(uintptr_t self) {
    return &gaps[(uint64_t)self * UINT64_C(0x9E3779B97F4A7C15) >> (64 - BITS)];
}

static uint64_t as_ns(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

/* Return the calling thread's voluntary context switches up to now, and set `work_ns` to its CPU
 * time. Returns -1 if they are not known. */
static long count(uint64_t *work_ns) {
    struct rusage usage;
    if (!sg_permitted_calls_may(SG_CALL_OTHERS) || getrusage(RUSAGE_THREAD, &usage))
        return -1;
    *work_ns = as_ns(usage.ru_utime) + as_ns(usage.ru_stime);
    return usage.ru_nvcsw;
}

void sg_gil_switches_open_gap(void) {
    uintptr_t self = sg_thread_ids_self();
    struct gap *gap = own_gap(self);
    uint64_t work_ns = 0;
    long n_sleeps = count(&work_ns);
    atomic_store_explicit(&gap->thread, 0, memory_order_relaxed);
    atomic_store_explicit(&gap->n_sleeps, n_sleeps, memory_order_relaxed);
    atomic_store_explicit(&gap->work_ns, work_ns, memory_order_relaxed);
    atomic_store_explicit(&gap->began_ns, (uint64_t)sg_time_mono_ns(), memory_order_relaxed);
    atomic_store(&gap->thread, self);
}

uint64_t sg_gil_switches_close_gap(void) {
    uintptr_t self = sg_thread_ids_self(), found = self;
    struct gap *gap = own_gap(self);
    if (atomic_load_explicit(&gap->thread, memory_order_relaxed) != self)
        return 0;
    long n_sleeps = atomic_load_explicit(&gap->n_sleeps, memory_order_relaxed);
    uint64_t work_ns = atomic_load_explicit(&gap->work_ns, memory_order_relaxed), worked_ns = 0;
    uint64_t began_ns = atomic_load_explicit(&gap->began_ns, memory_order_relaxed);
    if (!atomic_compare_exchange_strong(&gap->thread, &found, 0))
        return 0;
    uint64_t lost_ns = (uint64_t)sg_time_mono_ns() - began_ns;
    bool is_idle =
        count(&worked_ns) == n_sleeps && n_sleeps >= 0 && worked_ns - work_ns < MOST_WORK_NS;
    return is_idle ? lost_ns : 0;
}
