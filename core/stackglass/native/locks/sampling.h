/* Which releases of locks that others wait for are charged: decided when a hold begins, so that
 * those that are not charged need no look at the clock, and none at who waits.
 *
 *     release ── drawn? ──▶ the next hold of this lock is to be charged, and begins now
 *        …  (in the end)
 *     release ── its hold was drawn ──▶ charged, with what each has waited since it began
 *
 * Each hold is drawn with chance 1/fraction, whatever was drawn before. What the first one is
 * charged with, where nobody has waited before, began with the waits themselves.
 *
 * Threads that do nothing but fight for a lock release it millions of times in a second. So of
 * those drawn, the short ones are kept in proportion to how long they were, and stand for more, as
 * short waits do: what is spent is bounded, and sums are right. Not for a fraction of 1: all are
 * kept then.
 *
 * A slot (holders.h) remembers the hold of one lock, the first that somebody waits for. Where
 * another one of the same slot is waited for at the same time, its every release is timed. */
#ifndef STACKGLASS_LOCKS_SAMPLING_H
#define STACKGLASS_LOCKS_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "contention/contention.h"
#include "locks/holders.h"

enum { SG_HOLD_NOT_DRAWN = -1 }; /* in place of a hold's beginning */

/* Relaxed, since interpreters may have a GIL each; then a draw may be lost. */
extern _Atomic uint64_t
    sg_lock_sampling_n_passing; /* holds that are not drawn, before one that is */
extern _Atomic uint64_t sg_lock_sampling_drawn_for; /* the fraction that the above was drawn for */

/* Neither this hold of `lock`, for which others wait, nor its next one is drawn: there is nothing
 * to be done. Else sg_lock_sampling_draw says what. Caller holds the GIL. */
static inline bool sg_lock_hold_passes(const struct sg_lock_slot *slot, const void *lock) {
    uint64_t n = atomic_load_explicit(&sg_lock_sampling_n_passing, memory_order_relaxed);
    uint64_t fraction = sg_contention_mutex_fraction();
    if (atomic_load_explicit(&slot->hold_mono_ns, memory_order_relaxed) != SG_HOLD_NOT_DRAWN ||
        atomic_load_explicit(&slot->hold_tag, memory_order_relaxed) != sg_lock_tag(lock))
        return false;
    if (!fraction)
        return true;
    if (!n || atomic_load_explicit(&sg_lock_sampling_drawn_for, memory_order_relaxed) != fraction)
        return false;
    atomic_store_explicit(&sg_lock_sampling_n_passing, n - 1, memory_order_relaxed);
    return true;
}

/* Somebody is going to wait for `lock`, and nobody waits for any lock of the slot. */
void sg_lock_sampling_hold_is_first(struct sg_lock_slot *slot, const void *lock);

/* What becomes of a hold that ends, and of the next one: bits. Caller holds the GIL. */
enum {
    SG_HOLD_IS_REMEMBERED = 1, /* it is the slot's */
    SG_HOLD_IS_TIMED = 2,      /* when it ends matters */
    SG_HOLD_IS_SEEN = 4,       /* those who wait get to know */
    SG_HOLD_IS_CHARGED = 8,
    SG_HOLD_IS_NEXT_CHARGED = 16,
};
uint32_t sg_lock_sampling_draw(const struct sg_lock_slot *slot, const void *lock,
                               uint64_t fraction);

/* When the one that is seen began; 0 or less = each who waits knows. */
static inline int64_t sg_lock_hold_began(const struct sg_lock_slot *slot, uint32_t draw) {
    return draw & SG_HOLD_IS_REMEMBERED
               ? atomic_load_explicit(&slot->hold_mono_ns, memory_order_relaxed)
               : 0;
}

/* How many a hold that was drawn stands for; 0 = it was short, and is not kept. */
double sg_lock_sampling_hold_weight(int64_t began_mono_ns, int64_t now_mono_ns, uint64_t fraction);

/* It has ended, and the next one begins. */
void sg_lock_sampling_hold_ends(struct sg_lock_slot *slot, uint32_t draw, int64_t now_mono_ns);

#endif
