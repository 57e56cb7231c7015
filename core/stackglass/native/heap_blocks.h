/* Which addresses are sampled blocks: asked by every free, so it says no at the price of one load.
 *
 *     address ──hash──▶ filter: a bit  ──0──▶ not ours (nearly all)
 *                          │1
 *                          ▼
 *                       table: open addressing, at most half full
 *
 * The filter has eight bits for each place of the table, taken from the same hash. So all blocks
 * that share a bit lie in one run of the table, and a removed block's bit can be cleared exactly.
 *
 * The table is guarded by the ledger's claim; the filter may be read by anyone at any time. It is
 * replaced by a larger one when the table grows; the old one stays readable until nobody can
 * hold it any more. */
#ifndef STACKGLASS_HEAP_BLOCKS_H
#define STACKGLASS_HEAP_BLOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "heap.h"

struct sg_heap_filter {
    uint32_t shift; /* of a hash: what remains is the number of the bit */
    uint32_t unused;
    _Atomic uint64_t words[1]; /* (2^(64 - shift) / 64,) */
};

/* Never NULL. */
extern _Atomic(const struct sg_heap_filter *) sg_heap_filter;

/* May `address` be a sampled block? Any thread, no claim. */
static inline bool sg_heap_blocks_may_have(const void *address) {
    const struct sg_heap_filter *filter =
        atomic_load_explicit(&sg_heap_filter, memory_order_acquire);
    uint64_t bit = (uint64_t)(uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15) >> filter->shift;
    return atomic_load_explicit(&filter->words[bit >> 6], memory_order_relaxed) >> (bit & 63) & 1;
}

/* Notes that wait to be worked off (heap_ledger.h): no filter knows of them. */
extern _Atomic uint32_t sg_heap_n_notes;

/* The same with them. Any thread, no claim. */
static inline bool sg_heap_blocks_may_be_live(const void *address) {
    return atomic_load_explicit(&sg_heap_n_notes, memory_order_acquire) ||
           sg_heap_blocks_may_have(address);
}

/* Keep a block that is not there: see take. False if there is no room. */
bool sg_heap_blocks_put(const struct sg_heap_taken *block);
/* Take one out; its address is 0 if it is not there. */
struct sg_heap_taken sg_heap_blocks_take(uintptr_t address);

/* Blocks at places [first, first + n) of the table: how many were copied to `blocks` (n,).
 * `first` beyond the end: none, and `is_end`. */
uint32_t sg_heap_blocks_copy(uint32_t first, uint32_t n, struct sg_heap_block *blocks,
                             bool *is_end);

/* Any thread, no claim. */
uint64_t sg_heap_blocks_count(void);
uint64_t sg_heap_blocks_bytes(void);

/* Room to begin with: 0 or -1. */
int sg_heap_blocks_prepare(void);
/* Forget all blocks. With the claim. */
void sg_heap_blocks_clear(void);
/* And give the memory back. `is_read` says that some thread may still be looking at a filter: then
 * filters lose their contents only. Nobody else is at work. */
void sg_heap_blocks_discard(bool is_read);

#endif
