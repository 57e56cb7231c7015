/* Addresses of sampled blocks: see heap_blocks.h. */
#include "heap_blocks.h"

#include <string.h>
#include <sys/mman.h>

#include "memory.h"

enum {
    FIRST_BITS = 14, /* places of the first table, as a power of two */
    LAST_BITS = 30,
    FILTER_BITS = 3, /* bits of the filter to a place */
};

static struct sg_heap_filter no_blocks = {.shift = 58}; /* constant: one word, no bit set */

/* Written under the claim, read by anyone; points to no_blocks or a member of `filters`. */
_Atomic(const struct sg_heap_filter *) sg_heap_filter = &no_blocks;

/* Guarded by the claim; the counters are read by anyone. */
static struct sg_heap_taken *table;                   /* (2^bits,); address 0 = empty */
static struct sg_heap_filter *filters[LAST_BITS + 1]; /* by the bits of their table */
static uint32_t bits;
static _Atomic uint64_t n_blocks;
static _Atomic uint64_t n_bytes;

static uint64_t hash_of(uintptr_t address) {
    return (uint64_t)address * UINT64_C(0x9E3779B97F4A7C15);
}

static uint32_t place_of(uintptr_t address) { return (uint32_t)(hash_of(address) >> (64 - bits)); }

static uint64_t filter_bit(uintptr_t address) {
    return hash_of(address) >> (64 - bits - FILTER_BITS);
}

static size_t filter_bytes(uint32_t of_bits) {
    return sizeof(struct sg_heap_filter) + ((size_t)1 << (of_bits + FILTER_BITS)) / 8;
}

static size_t table_bytes(uint32_t of_bits) { return sizeof *table << of_bits; }

static uint32_t put_in(uintptr_t address) {
    uint32_t mask = (1u << bits) - 1, at = place_of(address);
    while (table[at].address)
        at = (at + 1) & mask;
    uint64_t bit = filter_bit(address);
    _Atomic uint64_t *word = &filters[bits]->words[bit >> 6];
    /* All writers hold the claim; readers may be anyone. */
    atomic_store_explicit(
        word, atomic_load_explicit(word, memory_order_relaxed) | UINT64_C(1) << (bit & 63),
        memory_order_relaxed);
    return at;
}

static bool open_table(uint32_t new_bits) {
    struct sg_heap_taken *old = table;
    uint32_t old_bits = bits;
    if (new_bits > LAST_BITS)
        return false;
    if (!filters[new_bits]) {
        filters[new_bits] = sg_memory_map(filter_bytes(new_bits));
        if (!filters[new_bits])
            return false;
        filters[new_bits]->shift = 64 - new_bits - FILTER_BITS;
        atomic_fetch_add(&n_bytes, filter_bytes(new_bits));
    }
    struct sg_heap_taken *grown = sg_memory_map(table_bytes(new_bits));
    if (!grown)
        return false;
    table = grown;
    bits = new_bits;
    for (uint32_t i = 0; old && i < 1u << old_bits; i++) {
        if (old[i].address)
            table[put_in(old[i].address)] = old[i];
    }
    atomic_store_explicit(&sg_heap_filter, filters[bits], memory_order_release);
    if (old) {
        sg_memory_unmap(old, table_bytes(old_bits));
        atomic_fetch_sub(&n_bytes, table_bytes(old_bits));
    }
    atomic_fetch_add(&n_bytes, table_bytes(bits));
    return true;
}

bool sg_heap_blocks_put(const struct sg_heap_taken *block) {
    uint64_t n = atomic_load_explicit(&n_blocks, memory_order_relaxed);
    bool is_half_full = n >= UINT64_C(1) << (bits - 1);
    /* Without memory to grow into it goes on, up to seven eighths. */
    if (is_half_full && !open_table(bits + 1) && n >= UINT64_C(7) << (bits - 3))
        return false;
    table[put_in(block->address)] = *block;
    atomic_store_explicit(&n_blocks, n + 1, memory_order_relaxed);
    return true;
}

/* Close the gap at `gap`: blocks behind it move up, unless that took them before their place. */
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

/* Clear the bit of a block that is gone, unless another one in its run has the same. */
static void clear_bit(uintptr_t address) {
    uint32_t mask = (1u << bits) - 1;
    uint64_t bit = filter_bit(address);
    for (uint32_t at = place_of(address); table[at].address; at = (at + 1) & mask) {
        if (filter_bit(table[at].address) == bit)
            return;
    }
    _Atomic uint64_t *word = &filters[bits]->words[bit >> 6];
    atomic_store_explicit(
        word, atomic_load_explicit(word, memory_order_relaxed) & ~(UINT64_C(1) << (bit & 63)),
        memory_order_relaxed);
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
    atomic_store(&sg_heap_filter, &no_blocks);
    for (uint32_t i = 0; i <= LAST_BITS; i++) {
        if (filters[i])
            memset((void *)filters[i]->words, 0, ((size_t)1 << (i + FILTER_BITS)) / 8);
    }
    madvise(table, table_bytes(bits), MADV_DONTNEED); /* reads as zero again */
    atomic_store(&n_blocks, 0);
    atomic_store(&sg_heap_filter, filters[bits]);
}

void sg_heap_blocks_discard(bool is_read) {
    atomic_store(&sg_heap_filter, &no_blocks);
    if (table)
        sg_memory_unmap(table, table_bytes(bits));
    table = NULL;
    for (uint32_t i = 0; i <= LAST_BITS; i++) {
        if (!filters[i])
            continue;
        if (is_read) {
            memset((void *)filters[i]->words, 0, ((size_t)1 << (i + FILTER_BITS)) / 8);
        } else {
            sg_memory_unmap(filters[i], filter_bytes(i));
            filters[i] = NULL;
        }
    }
    bits = 0;
    atomic_store(&n_bytes, 0);
    atomic_store(&n_blocks, 0);
}
