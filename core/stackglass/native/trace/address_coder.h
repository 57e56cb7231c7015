/* Address coder: an address as one byte where it can be foreseen, else as page and offset.
 *
 *     taken by an allocation:  the last block of its size class that was freed
 *                              the place behind the last block of its size class
 *     all others:              as far from the last one of the same symbol as that from its last
 *     else:                    a page that was met before │ a new page; and the place in it
 *
 * A decoder that does the same foresees the same. One thread. */
#ifndef STACKGLASS_TRACE_ADDRESS_CODER_H
#define STACKGLASS_TRACE_ADDRESS_CODER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    SG_ADDRESS_UNIT_BITS = 4,   /* blocks are aligned to 16 bytes */
    SG_ADDRESS_OFFSET_BITS = 8, /* of the place in a page, in units */
    SG_ADDRESS_PAGE_BITS = SG_ADDRESS_UNIT_BITS + SG_ADDRESS_OFFSET_BITS,
    SG_ADDRESS_SLOTS = 256,
    SG_ADDRESS_CLASSES = 64,
    SG_ADDRESS_FREED = 64, /* of each class; a power of two */
    /* Codes. Others are slots of pages. */
    SG_ADDRESS_FORESEEN = 0,
    SG_ADDRESS_NEXT = 1, /* behind the last one */
    SG_ADDRESS_NEW_PAGE = 2,
    SG_ADDRESS_N_CODES = 3,
};

/* All zero: nothing was met yet. */
struct sg_address_coder {
    uint64_t pages[SG_ADDRESS_SLOTS];
    uint8_t classes[SG_ADDRESS_SLOTS]; /* of the blocks in the page */
    uint64_t last_new_page;
    uint64_t last_taken[SG_ADDRESS_CLASSES];
    uint8_t n_freed[SG_ADDRESS_CLASSES]; /* at most SG_ADDRESS_FREED */
    uint8_t freed_at[SG_ADDRESS_CLASSES];
    uint64_t freed[SG_ADDRESS_CLASSES][SG_ADDRESS_FREED]; /* a ring; beyond n_freed undefined */
};

/* The last address of a symbol, and how far it was from the one before. */
struct sg_address_stride {
    uint64_t last, step;
};

/* Columns that addresses are written to, each with room for what one address needs: a byte, two
 * bytes, and SG_ADDRESS_PAGE_BYTES. */
struct sg_address_columns {
    uint8_t *places, *offsets, *pages;
};
enum { SG_ADDRESS_MOST_PLACES = 1, SG_ADDRESS_MOST_OFFSETS = 1, SG_ADDRESS_MOST_PAGES = 11 };

/* Where a page may be met again, and the size class of blocks of `size` bytes. */
static inline unsigned sg_address_coder_slot(uint64_t page) {
    unsigned slot = (page ^ page >> 8) & (SG_ADDRESS_SLOTS - 1);
    return slot < SG_ADDRESS_N_CODES ? slot + SG_ADDRESS_N_CODES : slot;
}

static inline unsigned sg_address_coder_class(uint64_t size) {
    uint64_t units = size / (1 << SG_ADDRESS_UNIT_BITS) + (size % (1 << SG_ADDRESS_UNIT_BITS) != 0);
    return units < SG_ADDRESS_CLASSES ? (unsigned)units : SG_ADDRESS_CLASSES - 1;
}

/* The last block of a class that was freed: one comes, or goes. */
static inline void sg_address_coder_push(struct sg_address_coder *coder, unsigned class,
                                         uint64_t address) {
    coder->freed_at[class] = (coder->freed_at[class] + 1) & (SG_ADDRESS_FREED - 1);
    coder->freed[class][coder->freed_at[class]] = address;
    if (coder->n_freed[class] < SG_ADDRESS_FREED)
        coder->n_freed[class]++;
}

static inline void sg_address_coder_pop(struct sg_address_coder *coder, unsigned class) {
    coder->freed_at[class] = (coder->freed_at[class] - 1) & (SG_ADDRESS_FREED - 1);
    coder->n_freed[class]--;
}

void sg_address_coder_reset(struct sg_address_coder *coder);
/* An address that an allocation of `size` bytes got. */
void sg_address_coder_take(struct sg_address_coder *coder, struct sg_address_columns *out,
                           uint64_t address, uint64_t size);
/* Any other; `is_given`: a block that goes back to the allocator. */
void sg_address_coder_put(struct sg_address_coder *coder, struct sg_address_columns *out,
                          uint64_t address, struct sg_address_stride *stride, bool is_given);

#endif
