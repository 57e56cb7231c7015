/* Address bitmap: a set of addresses with one bit for each 16 bytes, in pages of 8 KiB.
 *
 *     address ──>> 20──▶ page ──bits 4 to 19──▶ bit
 *
 * The bits lie outside the program's heaps, the tables that find them do not. One thread at a
 * time. */
#ifndef STACKGLASS_PLATFORM_ADDRESS_BITMAP_H
#define STACKGLASS_PLATFORM_ADDRESS_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/hash_table.h"

struct sg_address_bitmap {
    struct sg_hash_table pages; /* from a page's number to its bits, which `chunks` owns */
    uint64_t *last_bits;        /* of the page used last */
    uintptr_t last_number;
    uint8_t *room; /* for further pages; owned by `chunks` */
    size_t n_room;
    void **chunks; /* (n_chunks,): mappings; owned */
    size_t n_chunks, chunks_capacity;
    bool is_full; /* memory ran out: addresses of pages without bits count as new each time */
};

/* Add `address`. Returns true if it was not in the set. */
bool sg_address_bitmap_add(struct sg_address_bitmap *set, uintptr_t address);
/* Empty the set and free its memory. */
void sg_address_bitmap_clear(struct sg_address_bitmap *set);

#endif
