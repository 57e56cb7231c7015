/* Address coder: encodes an address in one byte if it can be predicted, else as page and offset.
 *
 *     an allocation:  the block of its size class that was freed last
 *                     the place behind the last allocated block of its class (malloc's are one)
 *     all others:     the age, in allocations, of the lane's recent allocation at this address
 *                     predicted from the last two addresses of the same symbol: a step as
 *                     large as the last one, in the order of allocation or in bytes
 *     else:           a page that occurred before │ a new page; and the offset in it
 *
 * Size classes are pymalloc's, where a page has blocks of one class, and glibc malloc's. Another
 * allocator costs bytes, not correctness, because a decoder makes the same predictions. Used by one
 * thread at a time. */
#ifndef STACKGLASS_TRACE_ADDRESS_CODER_H
#define STACKGLASS_TRACE_ADDRESS_CODER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "trace/events.h"

enum {
    SG_ADDRESS_UNIT_BITS = 4,   /* blocks are aligned to 16 bytes */
    SG_ADDRESS_OFFSET_BITS = 8, /* bits of the offset in a page, in units */
    SG_ADDRESS_PAGE_BITS = SG_ADDRESS_UNIT_BITS + SG_ADDRESS_OFFSET_BITS,
    SG_ADDRESS_SLOTS = 256,
    SG_ADDRESS_CLASSES = 128,
    SG_ADDRESS_PYMALLOC_CLASSES = 33, /* 1 to 32; 0 = not known; malloc's classes are above */
    SG_ADDRESS_PYMALLOC_BYTES = 512,  /* largest block of pymalloc */
    /* freed blocks that are remembered for each class; a power of two */
    SG_ADDRESS_FREED = 64,
    SG_ADDRESS_RECENT_BITS = 14,
    SG_ADDRESS_RECENT = 1 << SG_ADDRESS_RECENT_BITS, /* allocations that are remembered */
    /* Codes in the column `places`. Other values are slots of pages. For an address that is not an
     * allocation's, values from SG_ADDRESS_AGES on are ages. */
    /* allocation: the block freed last; else the last step, in the order of allocation */
    SG_ADDRESS_FORESEEN = 0,
    /* allocation: behind the last block; else the last step, in bytes */
    SG_ADDRESS_NEXT = 1,
    SG_ADDRESS_NEW_PAGE = 2,
    SG_ADDRESS_HIGH_SLOT = 3, /* not of an allocation: a slot of SG_ADDRESS_AGES or more */
    SG_ADDRESS_N_CODES = 4,
    SG_ADDRESS_AGES = 224,
    SG_ADDRESS_N_AGES = 256 - SG_ADDRESS_AGES,
};

struct sg_address_coder {
    /* All zero at the beginning of a lane. */
    uint64_t pages[SG_ADDRESS_SLOTS];
    uint8_t classes[SG_ADDRESS_SLOTS]; /* pymalloc's class of the page's blocks; 0 = not known */
    uint64_t last_new_page;
    /* address behind the last block; index 0 = malloc's */
    uint64_t next[SG_ADDRESS_PYMALLOC_CLASSES];
    uint8_t n_freed[SG_ADDRESS_CLASSES]; /* at most SG_ADDRESS_FREED */
    uint8_t freed_at[SG_ADDRESS_CLASSES];
    uint32_t n_taken; /* allocations so far */
    /* Not cleared for a new lane, because entries of an earlier lane are never used. */
    uint64_t freed[SG_ADDRESS_CLASSES][SG_ADDRESS_FREED]; /* rings */
    uint64_t taken[SG_ADDRESS_RECENT]; /* address by number of the allocation; 0 = freed again */
    uint8_t taken_classes[SG_ADDRESS_RECENT];
    uint16_t numbers[SG_ADDRESS_RECENT]; /* number of the last allocation, by hash of the address */
};

/* The last address of a symbol and its distance from the address before; the same for the numbers
 * of the allocations. */
struct sg_address_stride {
    uint64_t last, step;
    uint32_t last_number, number_step;
};

/* Ends of the three columns that addresses are written to. Each has room for one more address. */
struct sg_address_columns {
    uint8_t *places, *offsets, *pages;
};
enum { SG_ADDRESS_MOST_PLACES = 1, SG_ADDRESS_MOST_OFFSETS = 2, SG_ADDRESS_MOST_PAGES = 11 };

/* Return the slot in which a page is remembered. */
static inline unsigned sg_address_coder_slot(uint64_t page) {
    unsigned slot = (page ^ page >> 8) & (SG_ADDRESS_SLOTS - 1);
    return slot < SG_ADDRESS_N_CODES ? slot + SG_ADDRESS_N_CODES : slot;
}

/* Return the size class of an allocation, and set `units` to the 16-byte units that its block
 * takes. */
static inline unsigned sg_address_coder_class(uint64_t size, unsigned domain, uint64_t *units) {
    /* bytes of the header of malloc's blocks */
    const unsigned unit = 1 << SG_ADDRESS_UNIT_BITS, head = 8;
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

/* Return whether the allocation is recent enough to be remembered. */
static inline bool sg_address_coder_is_recent(const struct sg_address_coder *coder,
                                              uint32_t number) {
    return number < coder->n_taken && coder->n_taken - number <= SG_ADDRESS_RECENT;
}

static inline uint64_t *sg_address_coder_taken(struct sg_address_coder *coder, uint32_t number) {
    return &coder->taken[number & (SG_ADDRESS_RECENT - 1)];
}

/* Find the recent allocation at an address. Returns false if there is none. */
static inline bool sg_address_coder_find(struct sg_address_coder *coder, uint64_t address,
                                         uint32_t *number) {
    *number = *sg_address_coder_number(coder, address);
    return address && sg_address_coder_is_recent(coder, *number) &&
           *sg_address_coder_taken(coder, *number) == address;
}

/* Remove the class's last freed block from the ring. */
static inline void sg_address_coder_pop(struct sg_address_coder *coder, unsigned class) {
    coder->freed_at[class] = (coder->freed_at[class] - 1) & (SG_ADDRESS_FREED - 1);
    coder->n_freed[class]--;
}

/* Update the predictions after an allocation, and after any other address, however it was coded.
 * `is_known`: `number` is the allocation at this address. `is_given`: the block returns to the
 * allocator. */
void sg_address_coder_note_taken(struct sg_address_coder *coder, uint64_t address, unsigned class,
                                 uint64_t units);
void sg_address_coder_note(struct sg_address_coder *coder, uint64_t address,
                           struct sg_address_stride *stride, bool is_known, uint32_t number,
                           bool is_given);

void sg_address_coder_reset(struct sg_address_coder *coder);
/* Write the address of an allocation of `size` bytes. */
void sg_address_coder_take(struct sg_address_coder *coder, struct sg_address_columns *out,
                           uint64_t address, uint64_t size, unsigned domain);
/* Write any other address. `is_given`: the block returns to the allocator. */
void sg_address_coder_put(struct sg_address_coder *coder, struct sg_address_columns *out,
                          uint64_t address, struct sg_address_stride *stride, bool is_given);

#endif
