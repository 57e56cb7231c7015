/* Sampling of holds: which releases of contended locks are charged. Decided when a hold begins, so
 * that the others need neither the clock nor the list of waiters.
 *
 *     release ── drawn? ──▶ the next hold of this lock is charged, and begins now
 *        …  (later)
 *     release ── its hold was drawn ──▶ charged with what each waiter has waited since it began
 *
 *     P(a hold is drawn) = 1/fraction, independent of earlier draws
 *
 * If no thread was waiting when the first waiter arrived, the charge starts at that waiter's
 * arrival.
 *
 * Threads may release a contended lock millions of times a second. So of the holds drawn, those
 * below 5 us are kept in proportion to their length and stand for more, as short waits do: the cost
 * is bounded, the sums stay correct. At fraction 1 all are kept.
 *
 * A slot (table.h) remembers the hold of one lock, the first that gets a waiter. If another lock
 * of that slot has waiters at the same time, each of its releases is timed. */
#ifndef STACKGLASS_LOCKS_SAMPLING_H
#define STACKGLASS_LOCKS_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "contention/contention.h"
#include "locks/table.h"
#include "platform/export.h"

enum { SG_HOLD_NOT_DRAWN = -1 }; /* in place of a hold's beginning */

/* Relaxed, since interpreters may have a GIL each; then a draw may be lost. */
extern SG_NEAR _Atomic uint64_t
    sg_lock_sampling_n_passing; /* holds that are not drawn, before one that is */
extern SG_NEAR _Atomic uint64_t
    sg_lock_sampling_drawn_for; /* the fraction that the above was drawn for */

/* Is neither this hold of `lock`, which has waiters, nor its next one drawn? Then nothing is to be
 * done; else sg_lock_sampling_draw says what is. Caller holds the GIL. */
static inline bool sg_lock_sampling_hold_passes(const struct sg_lock_slot *slot, const void *lock) {
    uint64_t n = atomic_load_explicit(&sg_lock_sampling_n_passing, memory_order_relaxed);
    uint64_t fraction = sg_contention_mutex_fraction();
    if (atomic_load_explicit(&slot->hold_mono_ns, memory_order_relaxed) != SG_HOLD_NOT_DRAWN ||
        atomic_load_explicit(&slot->hold_tag, memory_order_relaxed) != sg_lock_table_tag(lock))
        return false;
    if (!fraction)
        return true;
    if (!n || atomic_load_explicit(&sg_lock_sampling_drawn_for, memory_order_relaxed) != fraction)
        return false;
    atomic_store_explicit(&sg_lock_sampling_n_passing, n - 1, memory_order_relaxed);
    return true;
}

/* A thread is about to wait for `lock`, and none waits for any lock of the slot. */
void sg_lock_sampling_hold_is_first(struct sg_lock_slot *slot, const void *lock);

/* What to do with the hold that ends, and with the next one: bits. Caller holds the GIL. */
enum {
    SG_HOLD_IS_REMEMBERED = 1, /* it is the slot's */
    SG_HOLD_IS_TIMED = 2,      /* when it ends matters */
    SG_HOLD_IS_SEEN = 4,       /* the waiters' charge starts anew */
    SG_HOLD_IS_CHARGED = 8,
    SG_HOLD_IS_NEXT_CHARGED = 16,
};
uint32_t sg_lock_sampling_draw(const struct sg_lock_slot *slot, const void *lock,
                               uint64_t fraction);

/* When the hold that is charged began; 0 or less = with each waiter's own wait. */
static inline int64_t sg_lock_sampling_hold_began(const struct sg_lock_slot *slot, uint32_t draw) {
    return draw & SG_HOLD_IS_REMEMBERED
               ? atomic_load_explicit(&slot->hold_mono_ns, memory_order_relaxed)
               : 0;
}

/* How many holds a drawn one stands for; 0 = it was short and is not kept. */
double sg_lock_sampling_hold_weight(int64_t began_mono_ns, int64_t now_mono_ns, uint64_t fraction);

/* The hold has ended, and the next one begins. */
void sg_lock_sampling_hold_ends(struct sg_lock_slot *slot, uint32_t draw, int64_t now_mono_ns);

#endif
