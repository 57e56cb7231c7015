/* A set of addresses: a bit for each 16 bytes, in pages of 8 KiB for the megabytes that are used.
 *
 *     address ──>> 20──▶ page ──bits 4 to 19──▶ bit
 *
 * Outside every heap of the process. One thread at a time. */
#ifndef STACKGLASS_PLATFORM_ADDRESS_BITMAP_H
#define STACKGLASS_PLATFORM_ADDRESS_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sg_address_page;

struct sg_address_bitmap {
    struct sg_address_page *pages; /* (capacity,): open addressing, at most half full; owned */
    size_t n, capacity;            /* capacity: a power of two, or 0 */
    uint64_t *last_bits;           /* of the page that was asked for last */
    uintptr_t last_number;
    uint8_t *room; /* for pages to come; owned by `chunks` */
    size_t n_room;
    void **chunks; /* (n_chunks,): mappings; owned */
    size_t n_chunks, chunks_capacity;
    bool is_full; /* memory ran out: everything seems new */
};

/* Was it new? */
bool sg_address_bitmap_add(struct sg_address_bitmap *set, uintptr_t address);
/* Empty, and all memory given back. */
void sg_address_bitmap_clear(struct sg_address_bitmap *set);

#endif
