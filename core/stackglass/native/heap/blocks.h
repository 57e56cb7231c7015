/* Sampled blocks by address: an open-addressing table behind a bitmap filter. Every free
 * asks it, so "not sampled" costs two loads.
 *
 *     address ──hash──▶ filter: a bit ──0──▶ not sampled (nearly all)
 *                          │1
 *                          ▼
 *                       table: at most half full
 *
 * The filter has four bits for each place of the table, taken from the same hash: 2 KiB for the
 * first 2048 blocks. So all blocks that share a bit lie in one run of the table, and a removed
 * block's bit can be cleared exactly. When the table grows, a larger filter takes over; it lies
 * behind the old ones, which stay readable. Once there have been more than 131 072 blocks, no
 * filter is in use any more, and every free searches the table.
 *
 * The ledger's claim (ledger.h) guards changes of the table and the filter. Any thread may read the
 * filter at any time. The filter does not know the blocks in deferred records (deferred_records.h):
 * while there are such records, it answers "perhaps" for every address. */
#ifndef STACKGLASS_HEAP_BLOCKS_H
#define STACKGLASS_HEAP_BLOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "heap/samples.h"
#include "platform/export.h"

enum { SG_HEAP_FILTER_BITS = 20 }; /* the largest filter has 2^20 bits */

/* The filters, one after the other: the filter of 2^b bits begins at bit 2^b. */
extern SG_NEAR _Atomic uint64_t sg_heap_blocks_filters[(2 << SG_HEAP_FILTER_BITS) / 64];
/* All that a free has to read, in one word:
 *
 *     │ 63 … 30: number of deferred records │ 29 … 0: mask 2^b - 1 of the filter; 0 = none │ */
extern SG_NEAR _Atomic uint64_t sg_heap_blocks_filter_state;
enum { SG_HEAP_IS_DEFERRED = 1 << 30 }; /* one deferred record */

static inline uint64_t sg_heap_blocks_hash(uintptr_t address) {
    return (uint64_t)address * UINT64_C(0x9E3779B97F4A7C15) >> 32;
}

/* Return the number of the hash's bit in the filters: 2^b + the hash's last b bits, where `mask` is
 * 2^b - 1. */
static inline uint64_t sg_heap_blocks_filter_bit(uint64_t hash, uint64_t mask) {
    return (hash & mask) + mask + 1;
}

/* Are there deferred records (deferred_records.h)? Any thread may call this. */
static inline bool sg_heap_blocks_have_deferred(void) {
    return atomic_load_explicit(&sg_heap_blocks_filter_state, memory_order_acquire) >=
           SG_HEAP_IS_DEFERRED;
}

/* May `address` be a sampled block? Any thread, without the claim. */
static inline bool sg_heap_blocks_may_have(const void *address) {
    uint64_t state = atomic_load_explicit(&sg_heap_blocks_filter_state, memory_order_acquire);
    if (__builtin_expect(state >= SG_HEAP_IS_DEFERRED, 0))
        return true; /* a record is counted as deferred until its block's bit is set */
    uint64_t bit = sg_heap_blocks_filter_bit(sg_heap_blocks_hash((uintptr_t)address), state);
    return atomic_load_explicit(&sg_heap_blocks_filters[bit >> 6], memory_order_relaxed) >>
               (bit & 63) &
           1;
}

/* The next four need the claim. */

/* Add a block whose address is not in the table. Returns false if there is no room. */
bool sg_heap_blocks_put(const struct sg_heap_taken *block);
/* Remove the block at `address` and return it; its address is 0 if it is not in the table. */
struct sg_heap_taken sg_heap_blocks_take(uintptr_t address);

/* Is the block at `address` in the table? */
bool sg_heap_blocks_has(uintptr_t address);

/* Copy the blocks at the places [first, first + n) of the table to `blocks` (n,). Returns how many
 * there are. Sets `is_end` if there are no further places. */
uint32_t sg_heap_blocks_copy(uint32_t first, uint32_t n, struct sg_heap_block *blocks,
                             bool *is_end);

/* Return the number of blocks, and the bytes of the table. Any thread, without the claim. */
uint64_t sg_heap_blocks_count(void);
uint64_t sg_heap_blocks_bytes(void);

/* Allocate the first table. Returns 0, or -1 if memory is short. */
int sg_heap_blocks_prepare(void);
/* Forget all blocks. Needs the claim. */
void sg_heap_blocks_clear(void);
/* Forget all blocks and free the memory. No other thread uses the table. */
void sg_heap_blocks_discard(void);

#endif
