/* Draws for holds: a counter, shared by all locks, of the holds that pass before one is drawn (a
 * geometric distribution), and the slot's memory of when a drawn hold began.
 *
 *     hold_mono_ns   SG_HOLD_NOT_DRAWN   it is not charged
 *                    IS_FIRST            not decided yet: it began before the first waiter came
 *                    any other           it is charged, and began then      */
#include "locks/sampling.h"

#include "contention/sampling.h"

enum {
    IS_FIRST = 0,         /* a value of hold_mono_ns */
    SHORT_HOLD_NS = 5000, /* shorter holds are kept in proportion to their length */
};

_Atomic uint64_t sg_lock_sampling_n_passing, sg_lock_sampling_drawn_for;

/* Decide whether a hold is drawn, with probability 1/fraction. */
static bool draw_one(uint64_t fraction) {
    uint64_t n = atomic_load_explicit(&sg_lock_sampling_n_passing, memory_order_relaxed);
    if (!fraction)
        return false;
    if (fraction != atomic_load_explicit(&sg_lock_sampling_drawn_for, memory_order_relaxed)) {
        atomic_store_explicit(&sg_lock_sampling_drawn_for, fraction, memory_order_relaxed);
        n = sg_contention_sampling_draw_passing(fraction);
    }
    bool is_drawn = !n;
    n = is_drawn ? sg_contention_sampling_draw_passing(fraction) : n - 1;
    atomic_store_explicit(&sg_lock_sampling_n_passing, n, memory_order_relaxed);
    return is_drawn;
}

void sg_lock_sampling_hold_is_first(struct sg_lock_slot *slot, const void *lock) {
    atomic_store_explicit(&slot->hold_tag, sg_lock_table_tag(lock), memory_order_relaxed);
    atomic_store_explicit(&slot->hold_mono_ns, IS_FIRST, memory_order_relaxed);
}

uint32_t sg_lock_sampling_draw(const struct sg_lock_slot *slot, const void *lock,
                               uint64_t fraction) {
    const uint32_t charged = SG_HOLD_IS_TIMED | SG_HOLD_IS_SEEN | SG_HOLD_IS_CHARGED;
    if (atomic_load_explicit(&slot->hold_tag, memory_order_relaxed) != sg_lock_table_tag(lock))
        return draw_one(fraction) ? charged : SG_HOLD_IS_TIMED | SG_HOLD_IS_SEEN;
    int64_t began = atomic_load_explicit(&slot->hold_mono_ns, memory_order_relaxed);
    uint32_t draw = SG_HOLD_IS_REMEMBERED;
    if (began == IS_FIRST ? draw_one(fraction) : began != SG_HOLD_NOT_DRAWN)
        draw |= charged;
    if (draw_one(fraction))
        draw |= SG_HOLD_IS_TIMED | SG_HOLD_IS_NEXT_CHARGED;
    return draw;
}

double sg_lock_sampling_hold_weight(int64_t began_mono_ns, int64_t now_mono_ns, uint64_t fraction) {
    int64_t hold_ns = now_mono_ns - began_mono_ns;
    if (began_mono_ns <= 0 || fraction <= 1)
        return (double)fraction;
    uint64_t ns = hold_ns > 0 ? (uint64_t)hold_ns : 1;
    return (double)fraction * sg_contention_sampling_weigh_wait(ns, SHORT_HOLD_NS);
}

void sg_lock_sampling_hold_ends(struct sg_lock_slot *slot, uint32_t draw, int64_t now_mono_ns) {
    int64_t next = draw & SG_HOLD_IS_NEXT_CHARGED ? now_mono_ns : SG_HOLD_NOT_DRAWN;
    if (draw & SG_HOLD_IS_REMEMBERED)
        atomic_store_explicit(&slot->hold_mono_ns, next, memory_order_relaxed);
}
