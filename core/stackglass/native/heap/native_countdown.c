/* Striped countdown: 256 words, each on a cache line of its own. A step is one compare-and-swap:
 *
 *     bytes left > size   subtract the size       else   sampled: draw the next distance
 *
 * A word carries the number of the rate that its distance was drawn for. If that is not the rate in
 * force, a new distance is drawn before the step. So no distance of an earlier rate decides on a
 * sample.
 *
 *     │ number of the rate: 8 bits │ bytes left: 56 bits │                  */
#include "heap/native_countdown.h"

#include <stdatomic.h>

#include "heap/sampling.h"
#include "platform/thread_ids.h"

enum {
    LOG2_STRIPES = 8,
    N_STRIPES = 1 << LOG2_STRIPES,
    LINE_BYTES = 64,
    PAGE_BITS = 12, /* log2 of the page size; two pthread_t's are at least a page apart */
    NUMBER_SHIFT = 56,
    N_NUMBERS = 256,
};
static const uint64_t DISTANCE = (UINT64_C(1) << NUMBER_SHIFT) - 1;
static const uint64_t GOLDEN = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */

/* All lock-free. Two threads may have the same stripe, because a step is one compare-and-swap. */
static struct { _Alignas(LINE_BYTES) _Atomic uint64_t left; } stripes[N_STRIPES];
static _Atomic uint64_t number;           /* number of the rate in force; 0 = none was set yet */
static _Atomic uint64_t rates[N_NUMBERS]; /* the index is a rate's number */

/* Return the calling thread's stripe. A multiplicative hash spreads the threads, whose stacks lie
 * at equal distances, often of megabytes. */
static uint32_t own_stripe(void) {
    return (uint32_t)((sg_thread_ids_self() >> PAGE_BITS) * GOLDEN >> (64 - LOG2_STRIPES));
}

static uint64_t draw(uint64_t of) {
    uint64_t distance = sg_heap_sampling_draw(atomic_load(&rates[of]));
    return of << NUMBER_SHIFT | (distance < DISTANCE ? distance : DISTANCE);
}

bool sg_native_countdown_step(uint64_t size, uint64_t *rate) {
    _Atomic uint64_t *left = &stripes[own_stripe()].left;
    uint64_t current = atomic_load_explicit(&number, memory_order_acquire);
    uint64_t seen = atomic_load_explicit(left, memory_order_relaxed);
    for (;;) {
        uint64_t from = seen >> NUMBER_SHIFT == current ? seen : draw(current);
        bool is_passed_over = size < (from & DISTANCE);
        uint64_t next = is_passed_over ? from - size : draw(current);
        if (!atomic_compare_exchange_weak_explicit(left, &seen, next, memory_order_relaxed,
                                                   memory_order_relaxed))
            continue;
        *rate = is_passed_over ? 0 : atomic_load(&rates[current]);
        return *rate != 0;
    }
}

void sg_native_countdown_set_rate(uint64_t rate) {
    uint64_t next = (atomic_load(&number) + 1) % N_NUMBERS;
    if (!next) { /* the numbers begin again with 1: no stripe may keep an old number */
        next = 1;
        for (int i = 0; i < N_STRIPES; i++)
            atomic_store(&stripes[i].left, 0);
    }
    atomic_store(&rates[next], rate);
    atomic_store(&number, next);
}

uint32_t sg_native_countdown_stripe(void) { return own_stripe(); }
