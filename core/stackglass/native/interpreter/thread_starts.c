/* A lossy ring of 1024 words: a hook adds a start to the next slot by compare-and-swap from 0. If
 * the slot still has a start that was not taken, the new start is lost. */
#include "interpreter/thread_starts.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>

#include "interpreter/calling_thread.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"

enum { N_SLOTS = 1 << 10, STARTER_SHIFT = 32 };
static const uint64_t IS_PYTHON = UINT64_C(1) << 63;

/* Lock-free. A slot has the new thread's tid | starter's tid << 32 | IS_PYTHON; 0 = free. A hook
 * fills a free slot, sg_thread_starts_take empties it. */
static _Atomic uint64_t slots[N_SLOTS];
static _Atomic uint32_t head;
static _Atomic bool is_recording;

/* Record the new thread `*thread`. It may already have freed the memory at `thread`, and if it has
 * ended, its descriptor: neither is read unless it is mapped, by calls that no filter of the
 * calling thread forbids. If the new thread has ended, its tid is 0, and nothing is recorded. */
static void record(const pthread_t *thread) {
    pthread_t made;
    if (!sg_memory_read_probed((uintptr_t)thread, &made, sizeof made))
        return;
    pid_t tid = sg_thread_ids_of_fleeting((uintptr_t)made), starter = sg_thread_ids_own();
    if (tid <= 0 || starter <= 0)
        return;
    uint64_t start = (uint32_t)tid | (uint64_t)starter << STARTER_SHIFT;
    if (sg_calling_thread_state(false))
        start |= IS_PYTHON;
    uint64_t free = 0;
    uint32_t at = atomic_fetch_add_explicit(&head, 1, memory_order_relaxed) % N_SLOTS;
    atomic_compare_exchange_strong(&slots[at], &free, start);
}

int sg_thread_starts_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*run)(void *), void *argument) {
    int error = pthread_create(thread, attributes, run, argument), kept = errno;
    if (!error && atomic_load_explicit(&is_recording, memory_order_relaxed)) {
        record(thread);
        errno = kept;
    }
    return error;
}

void sg_thread_starts_record(bool is_on) {
    atomic_store(&is_recording, is_on);
    for (uint32_t at = 0; !is_on && at < N_SLOTS; at++)
        atomic_store_explicit(&slots[at], 0, memory_order_relaxed);
}

size_t sg_thread_starts_take(struct sg_thread_start *starts, size_t max) {
    size_t n = 0;
    for (uint32_t at = 0; at < N_SLOTS && n < max; at++) {
        if (!atomic_load_explicit(&slots[at], memory_order_relaxed))
            continue;
        uint64_t start = atomic_exchange(&slots[at], 0);
        starts[n++] = (struct sg_thread_start){
            .tid = (pid_t)(uint32_t)start,
            .starter = (pid_t)((start & ~IS_PYTHON) >> STARTER_SHIFT),
            .is_python = start & IS_PYTHON,
        };
    }
    return n;
}
