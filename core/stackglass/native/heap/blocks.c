/* The table of sampled blocks and its filters (blocks.h shows how they work together).
 *
 * Linear probing: a block lies at its own place, which its hash names, or at the first free place
 * behind that. Blocks with no gap between them form a run:
 *
 *     place        4     5     6     7     8
 *     block        –     A     B     C     –
 *     own place          5     5     6            A and B share a place, so B moved on, so C did
 *
 * A removed block leaves no tombstone: the blocks behind it in the run move up, but none to a place
 * before its own.
 *
 * A block's own place is the number of its filter bit, divided by four. So blocks that share a bit
 * share a place and lie in one run, and a search of the run shows whether a bit is still needed. */
#include "heap/blocks.h"

#include <stdatomic.h>
#include <string.h>

#include "platform/memory.h"

enum {
    FIRST_BITS = 12,      /* the first table has 2^12 places */
    LAST_BITS = 30,       /* the largest table has 2^30 places */
    FILTER_BITS_MORE = 2, /* a filter has 2^2 times as many bits as the table has places */
};

/* Written with the claim held, read by any thread. */
_Atomic uint64_t sg_heap_blocks_filters[(2 << SG_HEAP_FILTER_BITS) / 64];
_Atomic uint64_t sg_heap_blocks_filter_state;

/* Guarded by the claim; any thread may read the counters. */
static struct sg_heap_taken *table; /* (2^bits,); address 0 = empty */
static uint32_t bits;
static _Atomic uint64_t n_blocks;
static _Atomic uint64_t n_bytes;

static uint32_t place_of(uintptr_t address) {
    return (uint32_t)(sg_heap_blocks_hash(address) >> FILTER_BITS_MORE) & ((1u << bits) - 1);
}

static bool has_filter(void) { return bits + FILTER_BITS_MORE <= SG_HEAP_FILTER_BITS; }

static uint64_t filter_mask(void) { return (UINT64_C(1) << (bits + FILTER_BITS_MORE)) - 1; }

static uint64_t filter_bit(uintptr_t address) {
    return sg_heap_blocks_filter_bit(sg_heap_blocks_hash(address), filter_mask());
}

static void write_bit(uint64_t bit, bool value) {
    _Atomic uint64_t *word = &sg_heap_blocks_filters[bit >> 6];
    uint64_t mask = UINT64_C(1) << (bit & 63);
    uint64_t now = atomic_load_explicit(word, memory_order_relaxed);
    atomic_store_explicit(word, value ? now | mask : now & ~mask, memory_order_relaxed);
}

/* Return the first free place for the block at `address`. */
static uint32_t put_in(uintptr_t address) {
    uint32_t mask = (1u << bits) - 1, at = place_of(address);
    while (table[at].address)
        at = (at + 1) & mask;
    return at;
}

/* No block is left: clear the filters that were in use, and bit 1. That bit is read while no filter
 * is in use (mask 0), and is set then, so that every address is "perhaps" sampled. */
static void empty_filters(void) {
    uint32_t used = bits + FILTER_BITS_MORE;
    size_t n_bits = (size_t)2 << (used < SG_HEAP_FILTER_BITS ? used : SG_HEAP_FILTER_BITS);
    for (size_t i = 0; bits && i < n_bits / 64; i++)
        atomic_store_explicit(&sg_heap_blocks_filters[i], 0, memory_order_relaxed);
}

/* Use the filter with this mask from now on; 0 = none. The mask is changed by an atomic addition,
 * because other threads may change the count of deferred records in the same word meanwhile. */
static void use_filter(uint64_t mask) {
    uint64_t now = atomic_load_explicit(&sg_heap_blocks_filter_state, memory_order_relaxed);
    atomic_fetch_add_explicit(&sg_heap_blocks_filter_state, mask - now % SG_HEAP_IS_DEFERRED,
                              memory_order_release);
}

/* Fill the filter of a new table with the table's blocks, and use it from now on. */
static void change_filter(void) {
    if (has_filter()) {
        for (uint32_t i = 0; i < 1u << bits; i++) {
            if (table[i].address)
                write_bit(filter_bit(table[i].address), true);
        }
    } else {
        write_bit(1, true);
    }
    use_filter(has_filter() ? filter_mask() : 0);
}

/* Move all blocks to a new table of 2^new_bits places. Returns false if memory is short. */
static bool open_table(uint32_t new_bits) {
    struct sg_heap_taken *old = table;
    uint32_t old_bits = bits;
    struct sg_heap_taken *grown =
        new_bits <= LAST_BITS ? sg_memory_map(sizeof *table << new_bits) : NULL;
    if (!grown)
        return false;
    table = grown;
    /* a child that is forked here unmaps the table: never more than is mapped there */
    atomic_signal_fence(memory_order_seq_cst);
    bits = new_bits;
    for (uint32_t i = 0; old && i < 1u << old_bits; i++) {
        if (old[i].address)
            table[put_in(old[i].address)] = old[i];
    }
    change_filter();
    if (old)
        sg_memory_unmap(old, sizeof *table << old_bits);
    atomic_store(&n_bytes, sizeof *table << bits);
    return true;
}

bool sg_heap_blocks_put(const struct sg_heap_taken *block) {
    uint64_t n = atomic_load_explicit(&n_blocks, memory_order_relaxed);
    bool is_half_full = n >= UINT64_C(1) << (bits - 1);
    /* If there is no memory to grow, the table is filled up to seven eighths. */
    if (is_half_full && !open_table(bits + 1) && n >= UINT64_C(7) << (bits - 3))
        return false;
    table[put_in(block->address)] = *block;
    if (has_filter())
        write_bit(filter_bit(block->address), true);
    atomic_store_explicit(&n_blocks, n + 1, memory_order_relaxed);
    return true;
}

/* Close the gap at `gap`: blocks after it move up, but none to a place before its own. */
static void close_gap(uint32_t gap) {
    uint32_t mask = (1u << bits) - 1;
    for (uint32_t at = (gap + 1) & mask; table[at].address; at = (at + 1) & mask) {
        uint32_t behind_its_place = (at - place_of(table[at].address)) & mask;
        if (behind_its_place >= ((at - gap) & mask)) {
            table[gap] = table[at];
            gap = at;
        }
    }
    table[gap].address = 0;
}

/* Clear the bit of a removed block, unless another block of its run has the same bit. */
static void clear_bit(uintptr_t address) {
    if (!has_filter())
        return;
    uint32_t mask = (1u << bits) - 1;
    uint64_t bit = filter_bit(address);
    for (uint32_t at = place_of(address); table[at].address; at = (at + 1) & mask) {
        if (filter_bit(table[at].address) == bit)
            return;
    }
    write_bit(bit, false);
}

bool sg_heap_blocks_has(uintptr_t address) {
    uint32_t mask = (1u << bits) - 1, at = table ? place_of(address) : 0;
    while (table && table[at].address && table[at].address != address)
        at = (at + 1) & mask;
    return table && table[at].address;
}

struct sg_heap_taken sg_heap_blocks_take(uintptr_t address) {
    struct sg_heap_taken taken = {0};
    uint32_t mask = (1u << bits) - 1, at = place_of(address);
    if (!address)
        return taken;
    while (table[at].address && table[at].address != address)
        at = (at + 1) & mask;
    if (!table[at].address)
        return taken;
    taken = table[at];
    close_gap(at);
    clear_bit(address);
    atomic_store_explicit(&n_blocks, atomic_load_explicit(&n_blocks, memory_order_relaxed) - 1,
                          memory_order_relaxed);
    return taken;
}

uint32_t sg_heap_blocks_copy(uint32_t first, uint32_t n, struct sg_heap_block *blocks,
                             bool *is_end) {
    uint32_t n_copied = 0;
    for (uint32_t at = first; n-- && at < 1u << bits; at++) {
        if (table[at].address)
            blocks[n_copied++] = (struct sg_heap_block){
                .address = table[at].address,
                .size = table[at].size,
                .bucket = table[at].bucket,
            };
        first = at + 1;
    }
    *is_end = first >= 1u << bits;
    return n_copied;
}

uint64_t sg_heap_blocks_count(void) { return atomic_load(&n_blocks); }
uint64_t sg_heap_blocks_bytes(void) { return atomic_load(&n_bytes); }

int sg_heap_blocks_prepare(void) { return open_table(FIRST_BITS) ? 0 : -1; }

void sg_heap_blocks_clear(void) {
    if (!table)
        return;
    /* Not madvise(MADV_DONTNEED): the system refuses it for locked memory, and a hook may be under
     * a filter that forbids it. The entries are read first, so that pages without any stay
     * untouched. */
    for (uint32_t i = 0; i < 1u << bits; i++) {
        if (table[i].address)
            table[i].address = 0;
    }
    empty_filters();
    if (!has_filter())
        write_bit(1, true);
    atomic_store(&n_blocks, 0);
}

void sg_heap_blocks_discard(void) {
    empty_filters();
    use_filter(0);
    struct sg_heap_taken *old = table;
    table = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    sg_memory_unmap(old, sizeof *old << bits);
    bits = 0;
    atomic_store(&n_bytes, 0);
    atomic_store(&n_blocks, 0);
}
