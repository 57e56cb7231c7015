/* Bitmap of addresses: pages of bits, found by a hash table. */
#include "platform/address_bitmap.h"

#include <stdlib.h>
#include <string.h>

#include "platform/memory.h"
#include "platform/vector.h"

enum {
    PAGE_SHIFT = 20, /* one page of bits covers 1 MiB of addresses */
    UNIT_SHIFT = 4,  /* one bit for 16 addresses */
    PAGE_BYTES = 1 << (PAGE_SHIFT - UNIT_SHIFT - 3),
    CHUNK_PAGES = 64, /* mapped in one call */
};

struct page {
    uint64_t key; /* the page's number + 1 */
    uint64_t *bits;
};

static uint64_t *new_bits(struct sg_address_bitmap *set) {
    if (!set->n_room) {
        void *chunk = sg_memory_map((size_t)CHUNK_PAGES * PAGE_BYTES);
        if (!chunk || !sg_vector_make_room((void **)&set->chunks, set->n_chunks,
                                           &set->chunks_capacity, 1, sizeof *set->chunks)) {
            sg_memory_unmap(chunk, (size_t)CHUNK_PAGES * PAGE_BYTES);
            return NULL;
        }
        set->chunks[set->n_chunks++] = chunk;
        set->room = chunk;
        set->n_room = CHUNK_PAGES;
    }
    uint8_t *bits = set->room;
    set->room += PAGE_BYTES;
    set->n_room--;
    return (uint64_t *)(void *)bits;
}

static uint64_t *find_bits(struct sg_address_bitmap *set, uintptr_t number) {
    set->pages.entry_bytes = sizeof(struct page); /* an empty set is all zero */
    struct page *page = sg_hash_table_add(&set->pages, number + 1);
    if (!page || (!page->bits && !(page->bits = new_bits(set))))
        return NULL;
    set->last_number = number;
    set->last_bits = page->bits;
    return page->bits;
}

bool sg_address_bitmap_add(struct sg_address_bitmap *set, uintptr_t address) {
    uintptr_t number = address >> PAGE_SHIFT;
    uint64_t *bits = set->last_number == number ? set->last_bits : NULL;
    if (!bits)
        bits = find_bits(set, number);
    if (!bits) {
        set->is_full = true;
        return true;
    }
    uintptr_t unit = (address & ((1 << PAGE_SHIFT) - 1)) >> UNIT_SHIFT;
    uint64_t mask = UINT64_C(1) << (unit & 63);
    bool is_new = !(bits[unit >> 6] & mask);
    bits[unit >> 6] |= mask;
    return is_new;
}

void sg_address_bitmap_clear(struct sg_address_bitmap *set) {
    for (size_t i = 0; i < set->n_chunks; i++)
        sg_memory_unmap(set->chunks[i], (size_t)CHUNK_PAGES * PAGE_BYTES);
    free(set->chunks);
    sg_hash_table_free(&set->pages);
    memset(set, 0, sizeof *set);
}
