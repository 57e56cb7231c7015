/* What acquire and release look at and write down each time: a table, mapped directly.
 *
 *     lock's address   │ 63 … 48 │ 47 ……… 20 │ 19 ……… 4 │ 3 … 0 │
 *                        0 in user  tag: kept   number of  0
 *                        space      in holder   the slot ◀─ xor ── bits 35 … 20
 *
 *     slot             │ holder: tag, thread id │ n_waiters │ is_numbered │ hold │
 *
 * So tag and slot together are the address, whole: a holder that is found is that lock's. Where two
 * locks share a slot, the one that was taken last has a known holder. The allocator puts locks of
 * one kind at the same places of its pools and arenas, so that many would if the slot's number were
 * the address's lower part alone. Pages of the table that no lock comes to are never there.
 *
 * `holder` is written with the GIL held, in one store, and read by anybody. The next two are
 * guarded by lock_waits' flag, and read under the GIL; relaxed, since two interpreters may have a
 * GIL each. The table is static: whoever is still in one of our functions after a detach finds it.
 */
#ifndef STACKGLASS_LOCKS_HOLDERS_H
#define STACKGLASS_LOCKS_HOLDERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "platform/memory.h"
#include "platform/thread_ids.h"

#define SG_LIKELY(condition) __builtin_expect(!!(condition), 1)

enum { SG_LOCK_SLOT_BITS = 16, SG_LOCK_SLOTS = 1 << SG_LOCK_SLOT_BITS, SG_LOCK_ALIGNED_BITS = 4 };

struct sg_lock_slot {
    _Atomic uint64_t holder;      /* tag << 32 | thread id; 0 = not known */
    _Atomic uint32_t n_waiters;   /* registered for the locks of this slot */
    _Atomic uint32_t is_numbered; /* one of its locks has a number, or had */
    _Atomic int64_t hold_mono_ns; /* sampling.h: how the present hold is charged … */
    _Atomic uint32_t hold_tag;    /* … and of which lock it is */
};
extern struct sg_lock_slot sg_lock_holders_slots[SG_LOCK_SLOTS];

/* Forget everything, and give back its memory. Caller holds the GIL, and nobody waits. */
void sg_lock_holders_prepare(void);

static inline struct sg_lock_slot *sg_lock_slot(const void *lock) {
    uintptr_t mixed = (uintptr_t)lock ^ (uintptr_t)lock >> SG_LOCK_SLOT_BITS;
    return &sg_lock_holders_slots[mixed >> SG_LOCK_ALIGNED_BITS & (SG_LOCK_SLOTS - 1)];
}

static inline uint32_t sg_lock_tag(const void *lock) {
    return (uint32_t)((uintptr_t)lock >> (SG_LOCK_SLOT_BITS + SG_LOCK_ALIGNED_BITS));
}

static inline bool sg_lock_has_waiters(const struct sg_lock_slot *slot) {
    return atomic_load_explicit(&slot->n_waiters, memory_order_relaxed) != 0;
}

/* The calling thread takes `lock`. */
static inline void sg_lock_hold(struct sg_lock_slot *slot, const void *lock) {
    uint32_t tid =
        (uint32_t)sg_load_int(sg_calling_thread_self() + (uintptr_t)sg_thread_ids_offset());
    atomic_store_explicit(&slot->holder, (uint64_t)sg_lock_tag(lock) << 32 | tid,
                          memory_order_relaxed);
}

/* Somebody gives it back, or it dies. */
static inline void sg_lock_unhold(struct sg_lock_slot *slot, const void *lock) {
    uint64_t holder = atomic_load_explicit(&slot->holder, memory_order_relaxed);
    if (SG_LIKELY(holder >> 32 == sg_lock_tag(lock)))
        atomic_store_explicit(&slot->holder, 0, memory_order_relaxed);
}

/* Who took `lock` last and has not given it back; 0 = not known. */
pid_t sg_lock_holders_find(const void *lock);

#endif
