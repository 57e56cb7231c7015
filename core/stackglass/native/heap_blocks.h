/* Which addresses are sampled blocks: asked by every free, so it says no at the price of one load.
 *
 *     address ──hash──▶ sieve: a bit of 8 KiB ──0──▶ not ours (nearly all)
 *                          │1
 *                          ▼
 *                       table: open addressing, at most half full
 *
 * As long as the table has no more places than the sieve has bits, all blocks that share a bit lie
 * in one run of the table, and a removed block's bit can be cleared exactly. A larger table's sieve
 * lets everything pass: then it would hardly hold anything back any more, and samples are so many
 * that they set the price.
 *
 * Both are guarded by the ledger's claim, but the sieve may be read by anyone at any time. It does
 * not know of blocks that wait in notes: while there are any, every free is looked at. */
#ifndef STACKGLASS_HEAP_BLOCKS_H
#define STACKGLASS_HEAP_BLOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "heap.h"

enum { SG_HEAP_SIEVE_BITS = 16 };
extern _Atomic uint64_t sg_heap_sieve[(1 << SG_HEAP_SIEVE_BITS) / 64];

/* Notes that wait to be worked off: heap_notes.h. */
extern _Atomic uint32_t sg_heap_n_notes;

/* May `address` be a sampled block? Any thread, no claim. */
static inline bool sg_heap_blocks_may_have(const void *address) {
    uint64_t hash = (uint64_t)(uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15);
    uint64_t bit = hash >> (64 - SG_HEAP_SIEVE_BITS);
    if (__builtin_expect(atomic_load_explicit(&sg_heap_n_notes, memory_order_acquire) != 0, 0))
        return true; /* asked first: who works a note off sets its bit before it is counted off */
    return atomic_load_explicit(&sg_heap_sieve[bit >> 6], memory_order_relaxed) >> (bit & 63) & 1;
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
/* And give the memory back. Nobody else is at work. */
void sg_heap_blocks_discard(void);

#endif
