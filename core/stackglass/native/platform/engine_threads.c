/* The engine's own threads: see engine_threads.h. */
#include "platform/engine_threads.h"

#include <stdatomic.h>

#include "platform/thread_ids.h"

enum { MAX_ENGINE_THREADS = 16 };

static _Atomic pid_t tids[MAX_ENGINE_THREADS]; /* lock-free; 0 = free */
static _Atomic uint64_t dead_ns;               /* lock-free */

/* Lock-free. As pthread_t: reading one's own costs no call. */
static _Atomic uintptr_t entered[MAX_ENGINE_THREADS]; /* 0 = free */
static _Atomic int n_entered;

uint64_t sg_engine_threads_clock_ns(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) != 0)
        return 0;
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

bool sg_engine_threads_has(pid_t tid) {
    for (int i = 0; i < MAX_ENGINE_THREADS; i++) {
        if (atomic_load(&tids[i]) == tid)
            return true;
    }
    return false;
}

int sg_engine_threads_count(void) {
    int n = 0;
    for (int i = 0; i < MAX_ENGINE_THREADS; i++)
        n += atomic_load(&tids[i]) != 0;
    return n;
}

void sg_engine_threads_add(pid_t tid) {
    if (sg_engine_threads_has(tid))
        return;
    for (int i = 0; i < MAX_ENGINE_THREADS; i++) {
        pid_t none = 0;
        if (atomic_compare_exchange_strong(&tids[i], &none, tid))
            return;
    }
}

void sg_engine_threads_remove(pid_t tid) {
    for (int i = 0; i < MAX_ENGINE_THREADS; i++) {
        pid_t expected = tid;
        if (atomic_compare_exchange_strong(&tids[i], &expected, 0)) {
            atomic_fetch_add(&dead_ns, sg_engine_threads_clock_ns(sg_thread_clock(tid)));
            return;
        }
    }
}

uint64_t sg_engine_threads_cpu_ns(void) {
    uint64_t total = atomic_load(&dead_ns);
    for (int i = 0; i < MAX_ENGINE_THREADS; i++) {
        pid_t tid = atomic_load(&tids[i]);
        if (tid)
            total += sg_engine_threads_clock_ns(sg_thread_clock(tid));
    }
    return total;
}

void sg_engine_threads_forget(void) {
    for (int i = 0; i < MAX_ENGINE_THREADS; i++)
        atomic_store(&tids[i], 0);
    atomic_store(&dead_ns, 0);
}

bool sg_engine_threads_has_entered(void) {
    uintptr_t self = sg_calling_thread_self();
    if (!atomic_load_explicit(&n_entered, memory_order_relaxed))
        return false;
    for (int i = 0; i < MAX_ENGINE_THREADS; i++) {
        if (atomic_load_explicit(&entered[i], memory_order_relaxed) == self)
            return true;
    }
    return false;
}

void sg_engine_threads_enter(void) {
    bool is_in = sg_engine_threads_has_entered();
    for (int i = 0; i < MAX_ENGINE_THREADS && !is_in; i++) {
        uintptr_t none = 0;
        is_in = atomic_compare_exchange_strong(&entered[i], &none, sg_calling_thread_self());
        if (is_in)
            atomic_fetch_add(&n_entered, 1);
    }
}

void sg_engine_threads_leave(void) {
    for (int i = 0; i < MAX_ENGINE_THREADS; i++) {
        uintptr_t expected = sg_calling_thread_self();
        if (atomic_compare_exchange_strong(&entered[i], &expected, 0))
            atomic_fetch_sub(&n_entered, 1);
    }
}

void sg_engine_threads_forget_entered(void) {
    for (int i = 0; i < MAX_ENGINE_THREADS; i++)
        atomic_store(&entered[i], 0);
    atomic_store(&n_entered, 0);
}
