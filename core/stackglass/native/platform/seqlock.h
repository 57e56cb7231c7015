/* Seqlock: consistent copies of a value that one thread changes.
 *
 *     version  4 ──begin──▶ 5 … stores … ──end──▶ 6        a copy is valid from 4 to 4, or 6 to 6
 *
 * One thread at a time changes the value, and readers never delay it. */
#ifndef STACKGLASS_PLATFORM_SEQLOCK_H
#define STACKGLASS_PLATFORM_SEQLOCK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void sg_seqlock_begin(_Atomic uint32_t *version) {
    uint32_t now = atomic_load_explicit(version, memory_order_relaxed);
    atomic_store_explicit(version, now + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}

static inline void sg_seqlock_end(_Atomic uint32_t *version) {
    uint32_t now = atomic_load_explicit(version, memory_order_relaxed);
    atomic_store_explicit(version, now + 1, memory_order_release);
}

/* Copy `size` bytes of the value that `version` guards. */
static inline void sg_seqlock_copy(const _Atomic uint32_t *version, void *copy, const void *value,
                                   size_t size) {
    uint32_t before, after;
    do {
        before = atomic_load_explicit(version, memory_order_acquire);
        memcpy(copy, value, size);
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(version, memory_order_relaxed);
    } while (before != after || before % 2);
}

#endif
