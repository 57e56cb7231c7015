/* Which addresses are sampled blocks: asked by every free, so it says no at the price of two loads.
 *
 *     address ──hash──▶ sieve: a bit ──0──▶ not ours (nearly all)
 *                          │1
 *                          ▼
 *                       table: open addressing, at most half full
 *
 * The sieve has four bits for each place of the table, taken from the same hash: 2 KiB for the
 * first 2048 blocks. So all blocks that share a bit lie in one run of the table, and a removed
 * block's bit can be cleared exactly. When the table grows, a larger sieve takes over, behind the
 * old ones, which stay readable. From 131 072 blocks on there is none: everything passes.
 *
 * Both are guarded by the ledger's claim, but the sieve may be read by anyone at any time. It does
 * not know of blocks that wait in notes: while there are any, every free is looked at. */
#ifndef STACKGLASS_HEAP_BLOCKS_H
#define STACKGLASS_HEAP_BLOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "heap/heap.h"

enum { SG_HEAP_SIEVE_BITS = 20 }; /* of the largest, as a power of two */

/* One behind the other: the one of 2^b bits begins at bit 2^b. */
extern _Atomic uint64_t sg_heap_blocks_sieves[(2 << SG_HEAP_SIEVE_BITS) / 64];
/* What a free has to know of us, in one word: it is asked for by every one of them.
 *
 *     │ 63 … 6: notes that wait to be worked off │ 5 … 0: 63 - b of the sieve in use; 63 = none │
 */
extern _Atomic uint64_t sg_heap_blocks_sieve_state;
enum { SG_HEAP_NOTE_WAITS = 1 << 6 };

static inline uint64_t sg_heap_blocks_hash(uintptr_t address) {
    return (uint64_t)address * UINT64_C(0x9E3779B97F4A7C15);
}

/* A one, then the hash's first b bits: blocks that share a bit are neighbours in the table. */
static inline uint64_t sg_heap_sieve_bit(uint64_t hash, uint64_t shift) {
    return (hash >> 1 | UINT64_C(1) << 63) >> shift;
}

/* Notes that wait to be worked off: deferred_records.h. Any thread. */
static inline bool sg_heap_blocks_have_notes(void) {
    return atomic_load_explicit(&sg_heap_blocks_sieve_state, memory_order_acquire) >=
           SG_HEAP_NOTE_WAITS;
}

/* May `address` be a sampled block? Any thread, no claim. */
static inline bool sg_heap_blocks_may_have(const void *address) {
    uint64_t state = atomic_load_explicit(&sg_heap_blocks_sieve_state, memory_order_acquire);
    if (__builtin_expect(state >= SG_HEAP_NOTE_WAITS, 0))
        return true; /* who works a note off sets its bit before it is counted off */
    uint64_t bit = sg_heap_sieve_bit(sg_heap_blocks_hash((uintptr_t)address), state);
    return atomic_load_explicit(&sg_heap_blocks_sieves[bit >> 6], memory_order_relaxed) >>
               (bit & 63) &
           1;
}

/* Keep a block that is not there: see take. False if there is no room. */
bool sg_heap_blocks_put(const struct sg_heap_taken *block);
/* Take one out; its address is 0 if it is not there. */
struct sg_heap_taken sg_heap_blocks_take(uintptr_t address);

bool sg_heap_blocks_has(uintptr_t address);

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
