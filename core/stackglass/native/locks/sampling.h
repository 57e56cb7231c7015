/* Sampling of holds: which releases of contended locks are charged. This is decided when a hold
 * begins, so that the other holds need neither the clock nor the list of waiters.
 *
 *     release ── drawn? ──▶ the next hold of this lock is charged, and begins now
 *        …  (later)
 *     release ── its hold was drawn ──▶ charged with each waiter's wait since the hold began
 *
 *     P(a hold is drawn) = 1/fraction, independent of earlier draws
 *
 * If no thread was waiting when the first waiter arrived, the charge starts at that waiter's
 * arrival.
 *
 * Threads may release a contended lock millions of times a second. So a drawn hold shorter than 5
 * us is kept with a probability proportional to its length, and then has a greater weight, as short
 * waits have: the cost is bounded, and the sums stay correct. At fraction 1 all holds are kept.
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

enum { SG_HOLD_NOT_DRAWN = -1 }; /* a value of hold_mono_ns, in place of the hold's start */

/* Written with the GIL held. They are atomic because interpreters may have a GIL each; then a draw
 * may be lost. */
extern SG_NEAR _Atomic uint64_t
    sg_lock_sampling_n_passing; /* holds that are not drawn, before one that is */
extern SG_NEAR _Atomic uint64_t
    sg_lock_sampling_drawn_for; /* the fraction that the above was drawn for */

/* Whether neither the hold of `lock` that ends now, while threads wait, nor its next hold is drawn.
 * If so, nothing is to be done; else sg_lock_sampling_draw says what is. Caller holds the GIL. */
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

/* Remember the present hold of `lock`: a thread is about to wait for `lock`, and no other thread
 * waits for a lock of this slot. */
void sg_lock_sampling_hold_is_first(struct sg_lock_slot *slot, const void *lock);

/* Return as bits what to do with the hold that ends, and with the next one. Needs the GIL. */
enum {
    SG_HOLD_IS_REMEMBERED = 1, /* it is the hold that the slot remembers */
    SG_HOLD_IS_TIMED = 2,      /* the time of its end is needed */
    SG_HOLD_IS_SEEN = 4,       /* the waiters' charge starts anew */
    SG_HOLD_IS_CHARGED = 8,
    SG_HOLD_IS_NEXT_CHARGED = 16,
};
uint32_t sg_lock_sampling_draw(const struct sg_lock_slot *slot, const void *lock,
                               uint64_t fraction);

/* Return when the hold began; 0 or less = count from the beginning of each waiter's wait. */
static inline int64_t sg_lock_sampling_hold_began(const struct sg_lock_slot *slot, uint32_t draw) {
    return draw & SG_HOLD_IS_REMEMBERED
               ? atomic_load_explicit(&slot->hold_mono_ns, memory_order_relaxed)
               : 0;
}

/* Return how many holds a drawn one stands for; 0 = it was short and is not kept. */
double sg_lock_sampling_hold_weight(int64_t began_mono_ns, int64_t now_mono_ns, uint64_t fraction);

/* End the hold in the slot, and begin the next one. */
void sg_lock_sampling_hold_ends(struct sg_lock_slot *slot, uint32_t draw, int64_t now_mono_ns);

#endif
