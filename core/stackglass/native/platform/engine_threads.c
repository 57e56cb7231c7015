/* Registry of the engine's threads, by tid and by pthread_t. */
#include "platform/engine_threads.h"

#include <stdatomic.h>

#include "platform/thread_ids.h"
#include "platform/time.h"

enum { MOST_THREADS = SG_MOST_ENGINE_THREADS };

/* Lock-free: place i belongs to the thread pthreads[i], which claims the place by storing that
 * value. `pthreads` is an array of its own because hooks search it at each allocation. */
static _Atomic uintptr_t pthreads[MOST_THREADS]; /* 0 = free */
static _Atomic pid_t tids[MOST_THREADS];         /* 0 = free, or exempt only */
static _Atomic pid_t exempt[MOST_THREADS]; /* threads of the program; 0 = free, or the engine's */
static _Atomic int n_places;               /* places in use */
static _Atomic int n_existing;             /* engine threads, from before a start to after an end */
static _Atomic uint64_t left_ns;           /* CPU time of threads that have left */

/* Return the calling thread's place; -1 = it has none. */
static int find_own(void) {
    uintptr_t self = sg_thread_ids_self();
    if (!atomic_load_explicit(&n_places, memory_order_relaxed))
        return -1;
    for (int i = 0; i < MOST_THREADS; i++) {
        if (atomic_load_explicit(&pthreads[i], memory_order_relaxed) == self)
            return i;
    }
    return -1;
}

/* Claim a place for the calling thread; returns -1 if there is no room. */
static int claim(void) {
    for (int i = 0; i < MOST_THREADS; i++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&pthreads[i], &none, sg_thread_ids_self())) {
            atomic_fetch_add(&n_places, 1);
            return i;
        }
    }
    return -1;
}

static void release(int place) {
    atomic_store(&exempt[place], 0);
    atomic_store(&pthreads[place], 0);
    atomic_fetch_sub(&n_places, 1);
}

void sg_engine_threads_enter(void) {
    int place = find_own();
    if (place < 0)
        place = claim();
    if (place >= 0)
        atomic_store(&tids[place], sg_thread_ids_own());
}

void sg_engine_threads_leave(void) {
    int place = find_own();
    if (place < 0)
        return;
    if (atomic_exchange(&tids[place], 0))
        atomic_fetch_add(&left_ns, sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID));
    release(place);
}

bool sg_engine_threads_has(pid_t tid) {
    for (int i = 0; i < MOST_THREADS; i++) {
        if (atomic_load(&tids[i]) == tid)
            return true;
    }
    return false;
}

void sg_engine_threads_expect(int change) { atomic_fetch_add(&n_existing, change); }

int sg_engine_threads_existing(void) { return atomic_load(&n_existing); }

size_t sg_engine_threads_list(uint32_t *listed) {
    size_t n = 0;
    for (int i = 0; i < MOST_THREADS; i++) {
        pid_t tid = atomic_load(&tids[i]);
        if (tid)
            listed[n++] = (uint32_t)tid;
    }
    return n;
}

uint64_t sg_engine_threads_cpu_ns(void) {
    uint64_t total = atomic_load(&left_ns);
    for (int i = 0; i < MOST_THREADS; i++) {
        pid_t tid = atomic_load(&tids[i]);
        if (tid)
            total += sg_time_clock_ns(sg_time_thread_clock(tid));
    }
    return total;
}

bool sg_engine_threads_is_exempt(void) { return find_own() >= 0; }

bool sg_engine_threads_is_exempt_tid(pid_t tid) {
    for (int i = 0; i < MOST_THREADS; i++) {
        if (atomic_load_explicit(&exempt[i], memory_order_relaxed) == tid)
            return true;
    }
    return false;
}

bool sg_engine_threads_begin_exempt(void) {
    int place = find_own() < 0 ? claim() : -1;
    if (place >= 0)
        atomic_store(&exempt[place], sg_thread_ids_own());
    return place >= 0;
}

void sg_engine_threads_end_exempt(void) {
    int place = find_own();
    if (place >= 0)
        release(place);
}

void sg_engine_threads_forget(void) {
    for (int i = 0; i < MOST_THREADS; i++) {
        atomic_store(&tids[i], 0);
        atomic_store(&exempt[i], 0);
        atomic_store(&pthreads[i], 0);
    }
    atomic_store(&n_places, 0);
    atomic_store(&n_existing, 0);
    atomic_store(&left_ns, 0);
}
