/* Addresses of sampled blocks: see heap_blocks.h. */
#include "heap_blocks.h"

#include <string.h>
#include <sys/mman.h>

#include "memory.h"

enum {
    FIRST_BITS = 14, /* places of the first table, as a power of two */
    LAST_BITS = 30,
};

/* Written under the claim, read by anyone. */
_Atomic uint64_t sg_heap_sieve[(1 << SG_HEAP_SIEVE_BITS) / 64];

/* Guarded by the claim; the counters are read by anyone. */
static struct sg_heap_taken *table; /* (2^bits,); address 0 = empty */
static uint32_t bits;
static _Atomic uint64_t n_blocks;
static _Atomic uint64_t n_bytes;

static uint64_t hash_of(uintptr_t address) {
    return (uint64_t)address * UINT64_C(0x9E3779B97F4A7C15);
}

static uint32_t place_of(uintptr_t address) { return (uint32_t)(hash_of(address) >> (64 - bits)); }

static uint32_t sieve_bit(uintptr_t address) {
    return (uint32_t)(hash_of(address) >> (64 - SG_HEAP_SIEVE_BITS));
}

static void write_bit(uint32_t bit, bool value) {
    _Atomic uint64_t *word = &sg_heap_sieve[bit >> 6];
    uint64_t mask = UINT64_C(1) << (bit & 63),
             now = atomic_load_explicit(word, memory_order_relaxed);
    atomic_store_explicit(word, value ? now | mask : now & ~mask, memory_order_relaxed);
}

static uint32_t put_in(uintptr_t address) {
    uint32_t mask = (1u << bits) - 1, at = place_of(address);
    while (table[at].address)
        at = (at + 1) & mask;
    return at;
}

static void fill_sieve(uint64_t word) {
    for (size_t i = 0; i < sizeof sg_heap_sieve / sizeof *sg_heap_sieve; i++)
        atomic_store(&sg_heap_sieve[i], word);
}

static bool open_table(uint32_t new_bits) {
    struct sg_heap_taken *old = table;
    uint32_t old_bits = bits;
    struct sg_heap_taken *grown =
        new_bits <= LAST_BITS ? sg_memory_map(sizeof *table << new_bits) : NULL;
    if (!grown)
        return false;
    table = grown;
    bits = new_bits;
    for (uint32_t i = 0; old && i < 1u << old_bits; i++) {
        if (old[i].address)
            table[put_in(old[i].address)] = old[i];
    }
    if (bits > SG_HEAP_SIEVE_BITS)
        fill_sieve(UINT64_MAX);
    if (old)
        sg_memory_unmap(old, sizeof *table << old_bits);
    atomic_store(&n_bytes, sizeof *table << bits);
    return true;
}

bool sg_heap_blocks_put(const struct sg_heap_taken *block) {
    uint64_t n = atomic_load_explicit(&n_blocks, memory_order_relaxed);
    bool is_half_full = n >= UINT64_C(1) << (bits - 1);
    /* Without memory to grow into it goes on, up to seven eighths. */
    if (is_half_full && !open_table(bits + 1) && n >= UINT64_C(7) << (bits - 3))
        return false;
    table[put_in(block->address)] = *block;
    write_bit(sieve_bit(block->address), true);
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
    uint32_t mask = (1u << bits) - 1, bit = sieve_bit(address);
    if (bits > SG_HEAP_SIEVE_BITS)
        return;
    for (uint32_t at = place_of(address); table[at].address; at = (at + 1) & mask) {
        if (sieve_bit(table[at].address) == bit)
            return;
    }
    write_bit(bit, false);
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
    madvise(table, sizeof *table << bits, MADV_DONTNEED); /* reads as zero again */
    if (bits <= SG_HEAP_SIEVE_BITS)
        fill_sieve(0);
    atomic_store(&n_blocks, 0);
}

void sg_heap_blocks_discard(void) {
    fill_sieve(0);
    if (table)
        sg_memory_unmap(table, sizeof *table << bits);
    table = NULL;
    bits = 0;
    atomic_store(&n_bytes, 0);
    atomic_store(&n_blocks, 0);
}
