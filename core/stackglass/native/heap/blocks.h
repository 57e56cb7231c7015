/* Sampled blocks by address: an open-addressing table behind a bitmap filter, the sieve. Every free
 * asks it, so "not sampled" costs two loads.
 *
 *     address ──hash──▶ sieve: a bit ──0──▶ not sampled (nearly all)
 *                          │1
 *                          ▼
 *                       table: at most half full
 *
 * The sieve has four bits for each place of the table, taken from the same hash: 2 KiB for the
 * first 2048 blocks. So all blocks that share a bit lie in one run of the table, and a removed
 * block's bit can be cleared exactly. When the table grows, a larger sieve takes over, behind the
 * old ones, which stay readable. From 131 072 blocks on there is none, and every free asks the
 * table.
 *
 * Both change under the ledger's claim; the sieve may be read by any thread at any time. It does
 * not know the blocks in deferred records: while there are any, it answers "perhaps". */
#ifndef STACKGLASS_HEAP_BLOCKS_H
#define STACKGLASS_HEAP_BLOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "heap/samples.h"
#include "platform/export.h"

enum { SG_HEAP_SIEVE_BITS = 20 }; /* of the largest, as a power of two */

/* The sieves, one after the other: that of 2^b bits begins at bit 2^b. */
extern SG_NEAR _Atomic uint64_t sg_heap_blocks_sieves[(2 << SG_HEAP_SIEVE_BITS) / 64];
/* All that a free has to read, in one word:
 *
 *     │ 63 … 30: number of deferred records │ 29 … 0: mask 2^b - 1 of the sieve in use; 0 = none │ */
extern SG_NEAR _Atomic uint64_t sg_heap_blocks_sieve_state;
enum { SG_HEAP_IS_DEFERRED = 1 << 30 };

static inline uint64_t sg_heap_blocks_hash(uintptr_t address) {
    return (uint64_t)address * UINT64_C(0x9E3779B97F4A7C15) >> 32;
}

/* 2^b, and the hash's last b bits. */
static inline uint64_t sg_heap_blocks_sieve_bit(uint64_t hash, uint64_t mask) {
    return (hash & mask) + mask + 1;
}

/* Are there deferred records (deferred_records.h)? Any thread. */
static inline bool sg_heap_blocks_have_deferred(void) {
    return atomic_load_explicit(&sg_heap_blocks_sieve_state, memory_order_acquire) >=
           SG_HEAP_IS_DEFERRED;
}

/* May `address` be a sampled block? Any thread, no claim. */
static inline bool sg_heap_blocks_may_have(const void *address) {
    uint64_t state = atomic_load_explicit(&sg_heap_blocks_sieve_state, memory_order_acquire);
    if (__builtin_expect(state >= SG_HEAP_IS_DEFERRED, 0))
        return true; /* a record is counted until its block's bit is set */
    uint64_t bit = sg_heap_blocks_sieve_bit(sg_heap_blocks_hash((uintptr_t)address), state);
    return atomic_load_explicit(&sg_heap_blocks_sieves[bit >> 6], memory_order_relaxed) >>
               (bit & 63) &
           1;
}

/* Add a block that is not there. False if there is no room. */
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
/* The same, and free the memory. No other thread uses the table. */
void sg_heap_blocks_discard(void);

#endif
