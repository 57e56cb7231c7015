/* Address coder: an address as one byte where it can be foreseen, else as page and offset.
 *
 *     an allocation's:  the last block of its size class that was freed
 *                       the place behind the last block that the allocator carved
 *     all others:       a recent allocation of the lane: how many ago
 *                       by the last two addresses of the same symbol: the next step as large as
 *                       the last one, in the order of allocation, or in bytes
 *     else:             a page that was met before │ a new page; and the place in it
 *
 * Size classes are pymalloc's, whose pages have blocks of one class, and those of glibc's malloc.
 * Another allocator costs bytes, not correctness: a decoder that does the same foresees the same.
 * One thread. */
#ifndef STACKGLASS_TRACE_ADDRESS_CODER_H
#define STACKGLASS_TRACE_ADDRESS_CODER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "trace/events.h"

enum {
    SG_ADDRESS_UNIT_BITS = 4,   /* blocks are aligned to 16 bytes */
    SG_ADDRESS_OFFSET_BITS = 8, /* of the place in a page, in units */
    SG_ADDRESS_PAGE_BITS = SG_ADDRESS_UNIT_BITS + SG_ADDRESS_OFFSET_BITS,
    SG_ADDRESS_SLOTS = 256,
    SG_ADDRESS_CLASSES = 128,
    SG_ADDRESS_PYMALLOC_CLASSES = 33, /* 1 to 32; 0 = not known. Those of malloc are above. */
    SG_ADDRESS_PYMALLOC_BYTES = 512,  /* of a block at most */
    SG_ADDRESS_FREED = 64,            /* of each class; a power of two */
    SG_ADDRESS_RECENT_BITS = 14,
    SG_ADDRESS_RECENT = 1 << SG_ADDRESS_RECENT_BITS, /* allocations */
    /* Codes. The rest are slots of pages; but those from SG_ADDRESS_AGES on are ages, where the
     * address is not that of an allocation. */
    SG_ADDRESS_FORESEEN = 0, /* freed last; of others: in the order of allocation */
    SG_ADDRESS_NEXT = 1,     /* behind the last one; of others: as far from it as before */
    SG_ADDRESS_NEW_PAGE = 2,
    SG_ADDRESS_HIGH_SLOT = 3, /* of others: a slot from SG_ADDRESS_AGES on */
    SG_ADDRESS_N_CODES = 4,
    SG_ADDRESS_AGES = 224,
    SG_ADDRESS_N_AGES = 256 - SG_ADDRESS_AGES,
};

struct sg_address_coder {
    /* All zero: nothing was met yet. */
    uint64_t pages[SG_ADDRESS_SLOTS];
    uint8_t classes[SG_ADDRESS_SLOTS]; /* of pymalloc's blocks in the page */
    uint64_t last_new_page;
    uint64_t next[SG_ADDRESS_PYMALLOC_CLASSES]; /* behind the last block; 0 = of malloc */
    uint8_t n_freed[SG_ADDRESS_CLASSES];        /* at most SG_ADDRESS_FREED */
    uint8_t freed_at[SG_ADDRESS_CLASSES];
    uint32_t n_taken; /* allocations so far */
    /* Of any content: what is not of this lane is never used. */
    uint64_t freed[SG_ADDRESS_CLASSES][SG_ADDRESS_FREED]; /* rings */
    uint64_t taken[SG_ADDRESS_RECENT]; /* by number of the allocation; 0 = freed again */
    uint8_t taken_classes[SG_ADDRESS_RECENT];
    uint16_t numbers[SG_ADDRESS_RECENT]; /* by hash of the address: the last allocation */
};

/* The last address of a symbol, and how far it was from the one before; the same of the numbers of
 * the allocations. */
struct sg_address_stride {
    uint64_t last, step;
    uint32_t last_number, number_step;
};

/* Columns that addresses are written to, each with room for what one address needs. */
struct sg_address_columns {
    uint8_t *places, *offsets, *pages;
};
enum { SG_ADDRESS_MOST_PLACES = 1, SG_ADDRESS_MOST_OFFSETS = 2, SG_ADDRESS_MOST_PAGES = 11 };

/* Where a page may be met again. */
static inline unsigned sg_address_coder_slot(uint64_t page) {
    unsigned slot = (page ^ page >> 8) & (SG_ADDRESS_SLOTS - 1);
    return slot < SG_ADDRESS_N_CODES ? slot + SG_ADDRESS_N_CODES : slot;
}

/* The class of an allocation, and how many units it takes. */
static inline unsigned sg_address_coder_class(uint64_t size, unsigned domain, uint64_t *units) {
    const unsigned unit = 1 << SG_ADDRESS_UNIT_BITS, head = 8; /* of malloc's blocks */
    unsigned rest = (unsigned)(size % unit);
    if (domain <= SG_TRACE_OBJ && size <= SG_ADDRESS_PYMALLOC_BYTES) {
        *units = size ? size / unit + (rest != 0) : 1;
        return (unsigned)*units;
    }
    *units = size / unit + (rest > unit - head ? 2 : 1);
    *units = *units < 2 ? 2 : *units;
    const unsigned most = SG_ADDRESS_CLASSES - SG_ADDRESS_PYMALLOC_CLASSES - 1;
    return SG_ADDRESS_PYMALLOC_CLASSES + (unsigned)(*units < most ? *units : most);
}

static inline uint64_t *sg_address_coder_next(struct sg_address_coder *coder, unsigned class) {
    return &coder->next[class < SG_ADDRESS_PYMALLOC_CLASSES ? class : 0];
}

static inline uint16_t *sg_address_coder_number(struct sg_address_coder *coder, uint64_t address) {
    uint64_t hash = (address >> SG_ADDRESS_UNIT_BITS) * UINT64_C(0x9E3779B97F4A7C15);
    return &coder->numbers[hash >> (64 - SG_ADDRESS_RECENT_BITS)];
}

/* Whether an allocation is one of the last ones. */
static inline bool sg_address_coder_is_recent(const struct sg_address_coder *coder,
                                              uint32_t number) {
    return number < coder->n_taken && coder->n_taken - number <= SG_ADDRESS_RECENT;
}

static inline uint64_t *sg_address_coder_taken(struct sg_address_coder *coder, uint32_t number) {
    return &coder->taken[number & (SG_ADDRESS_RECENT - 1)];
}

/* The recent allocation that has an address, if it is known. */
static inline bool sg_address_coder_find(struct sg_address_coder *coder, uint64_t address,
                                         uint32_t *number) {
    *number = *sg_address_coder_number(coder, address);
    return address && sg_address_coder_is_recent(coder, *number) &&
           *sg_address_coder_taken(coder, *number) == address;
}

/* The last block of a class that was freed goes. */
static inline void sg_address_coder_pop(struct sg_address_coder *coder, unsigned class) {
    coder->freed_at[class] = (coder->freed_at[class] - 1) & (SG_ADDRESS_FREED - 1);
    coder->n_freed[class]--;
}

/* Learn from an allocation, however its address was coded; and from any other address. */
void sg_address_coder_note_taken(struct sg_address_coder *coder, uint64_t address, unsigned class,
                                 uint64_t units);
void sg_address_coder_note(struct sg_address_coder *coder, uint64_t address,
                           struct sg_address_stride *stride, bool is_known, uint32_t number,
                           bool is_given);

void sg_address_coder_reset(struct sg_address_coder *coder);
/* Write the address that an allocation of `size` bytes got. */
void sg_address_coder_take(struct sg_address_coder *coder, struct sg_address_columns *out,
                           uint64_t address, uint64_t size, unsigned domain);
/* Write any other; `is_given`: a block that goes back to the allocator. */
void sg_address_coder_put(struct sg_address_coder *coder, struct sg_address_columns *out,
                          uint64_t address, struct sg_address_stride *stride, bool is_given);

#endif
