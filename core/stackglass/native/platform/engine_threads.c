/* The engine's own threads: see engine_threads.h. */
#include "platform/engine_threads.h"

#include <stdatomic.h>

enum { MAX_ENGINE_THREADS = 16 };

static _Atomic pid_t tids[MAX_ENGINE_THREADS]; /* lock-free; 0 = free */
static _Atomic uint64_t dead_ns;               /* lock-free */

uint64_t sg_clock_ns(clockid_t clock) {
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
            atomic_fetch_add(&dead_ns, sg_clock_ns(sg_thread_clock(tid)));
            return;
        }
    }
}

uint64_t sg_engine_threads_cpu_ns(void) {
    uint64_t total = atomic_load(&dead_ns);
    for (int i = 0; i < MAX_ENGINE_THREADS; i++) {
        pid_t tid = atomic_load(&tids[i]);
        if (tid)
            total += sg_clock_ns(sg_thread_clock(tid));
    }
    return total;
}

void sg_engine_threads_forget(void) {
    for (int i = 0; i < MAX_ENGINE_THREADS; i++)
        atomic_store(&tids[i], 0);
    atomic_store(&dead_ns, 0);
}
