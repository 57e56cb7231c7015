/* The lock table: which thread took a lock last, and how many threads wait. The lock's address
 * gives its slot directly; each acquire and release writes there.
 *
 *     lock's address   │ 63 … 48 │ 47 ……… 20 │ 19 ……… 4 │ 3 … 0 │
 *                        0 in user  tag: kept   number of  0
 *                        space      in holder   the slot ◀─ xor ── bits 35 … 20
 *
 *     slot             │ holder: tag, thread id │ n_waiters │ is_numbered │ hold │
 *
 * Tag and slot together determine the address, so a holder that is found is that lock's. Of two
 * locks that share a slot, only the one taken last has a known holder. The slot's number is an
 * exclusive or, because the allocator puts locks at the same places of its pools, so that their
 * lower bits alone would collide. Pages of the table without a lock are never touched.
 *
 * `holder` is written with the GIL held, in one store, and read by any thread. `n_waiters` is
 * written under the flag of waits.c; `is_numbered`, which is only ever set, and the hold are
 * written with the GIL held. All are relaxed atomics, since two interpreters may have a GIL each.
 * The table is static, for threads that are still inside a wrapper after a detach. */
#ifndef STACKGLASS_LOCKS_TABLE_H
#define STACKGLASS_LOCKS_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "platform/export.h"
#include "platform/hints.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"

enum { SG_LOCK_SLOT_BITS = 16, SG_LOCK_SLOTS = 1 << SG_LOCK_SLOT_BITS, SG_LOCK_ALIGNED_BITS = 4 };

struct sg_lock_slot {
    _Atomic uint64_t holder;      /* tag << 32 | thread id; 0 = not known */
    _Atomic uint32_t n_waiters;   /* registered for the locks of this slot */
    _Atomic uint32_t is_numbered; /* one of its locks has a number, or had */
    _Atomic int64_t hold_mono_ns; /* sampling.h: the start of the current hold, if it is charged */
    _Atomic uint32_t hold_tag;    /* the tag of that hold's lock */
};
extern SG_NEAR struct sg_lock_slot sg_lock_table_slots[SG_LOCK_SLOTS];

/* Clear the table and give its memory back. Caller holds the GIL, and no waiter is registered. */
void sg_lock_table_prepare(void);

static inline struct sg_lock_slot *sg_lock_table_slot(const void *lock) {
    uintptr_t mixed = (uintptr_t)lock ^ (uintptr_t)lock >> SG_LOCK_SLOT_BITS;
    return &sg_lock_table_slots[mixed >> SG_LOCK_ALIGNED_BITS & (SG_LOCK_SLOTS - 1)];
}

static inline uint32_t sg_lock_table_tag(const void *lock) {
    return (uint32_t)((uintptr_t)lock >> (SG_LOCK_SLOT_BITS + SG_LOCK_ALIGNED_BITS));
}

static inline bool sg_lock_table_has_waiters(const struct sg_lock_slot *slot) {
    return atomic_load_explicit(&slot->n_waiters, memory_order_relaxed) != 0;
}

/* Record that the calling thread takes `lock`. */
static inline void sg_lock_table_take(struct sg_lock_slot *slot, const void *lock) {
    uint32_t tid =
        (uint32_t)sg_memory_load_int(sg_thread_ids_self() + (uintptr_t)sg_thread_ids_offset());
    atomic_store_explicit(&slot->holder, (uint64_t)sg_lock_table_tag(lock) << 32 | tid,
                          memory_order_relaxed);
}

/* Record that `lock` is released or destroyed. */
static inline void sg_lock_table_release(struct sg_lock_slot *slot, const void *lock) {
    uint64_t holder = atomic_load_explicit(&slot->holder, memory_order_relaxed);
    if (SG_LIKELY(holder >> 32 == sg_lock_table_tag(lock)))
        atomic_store_explicit(&slot->holder, 0, memory_order_relaxed);
}

/* Return the thread that took `lock` last and has not released it; 0 = not known. */
pid_t sg_lock_table_holder(const void *lock);

#endif
