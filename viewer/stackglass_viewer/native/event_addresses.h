/* Decoder of the addresses in an event block of the memory trace. It keeps the same tables as the
 * engine's encoder and predicts each address from them; a byte of `places` says which prediction is
 * right. A page is 4096 bytes. A class is a block size of pymalloc or malloc.
 *
 *     code        an allocation's address                any other address
 *     0           the last freed block of its class      the allocation one stride on, by number
 *     1           behind the last block of its class *   one stride on, in bytes
 *     2           a new page: in `pages`, as the difference from the last new page
 *     3           (not in use)                           the page in a slot from 224 on, which
 *                                                        `offsets` has
 *     4 … 223     the page in this slot
 *     224 … 255   the page in this slot                  the last allocation but (code - 224)
 *
 * (*) malloc's classes count as one here: behind the last block of any of them.
 *
 * After a code that gives a page, `offsets` has the offset in the page, in units of 16 bytes. */
#ifndef SG_EVENT_ADDRESSES_H
#define SG_EVENT_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    SG_UNIT_BITS = 4,
    SG_PAGE_BITS = 12,
    SG_SLOTS = 256,
    SG_CLASSES = 128,
    SG_PYMALLOC_CLASSES = 33, /* 1 to 32; 0 = not known; malloc's classes are above 32 */
    SG_PYMALLOC_BYTES = 512,  /* the largest block of pymalloc */
    SG_FREED = 64,            /* freed blocks kept of each class */
    SG_RECENT_BITS = 14,
    SG_RECENT = 1 << SG_RECENT_BITS, /* last allocations kept */
    SG_FORESEEN = 0,
    SG_NEXT = 1,
    SG_NEW_PAGE = 2,
    SG_HIGH_SLOT = 3,
    SG_N_CODES = 4,
    SG_AGES = 224, /* the first of the codes for one of the last allocations */
};

struct sg_addresses {
    uint64_t pages[SG_SLOTS];
    uint8_t classes[SG_SLOTS];
    uint64_t last_new_page;
    uint64_t next[SG_PYMALLOC_CLASSES]; /* by class; all classes of malloc share item 0 */
    uint8_t n_freed[SG_CLASSES], freed_at[SG_CLASSES];
    uint32_t n_taken;
    /* The rest is not cleared for a new lane: n_freed and n_taken say which items are valid. */
    uint64_t freed[SG_CLASSES][SG_FREED];
    uint64_t taken[SG_RECENT];
    uint8_t taken_classes[SG_RECENT];
    uint16_t numbers[SG_RECENT]; /* by hash of an address: number of its last allocation */
};

struct sg_stride {
    uint64_t last, step;
    uint32_t last_number, number_step;
};

/* Read positions in the three columns of a lane that hold addresses. */
struct sg_address_bytes {
    const uint8_t *places, *places_end, *offsets, *offsets_end, *pages, *pages_end;
};

static inline void sg_forget_addresses(struct sg_addresses *known) {
    memset(known, 0, offsetof(struct sg_addresses, freed));
}

static inline unsigned sg_slot_of(uint64_t page) {
    unsigned slot = (page ^ page >> 8) & (SG_SLOTS - 1);
    return slot < SG_N_CODES ? slot + SG_N_CODES : slot;
}

static inline unsigned sg_class_of(uint64_t size, unsigned domain, uint64_t *units) {
    const unsigned unit = 1 << SG_UNIT_BITS, head = 8, most = SG_CLASSES - SG_PYMALLOC_CLASSES - 1;
    unsigned rest = (unsigned)(size % unit);
    if (domain <= 1 && size <= SG_PYMALLOC_BYTES) {
        *units = size ? size / unit + (rest != 0) : 1;
        return (unsigned)*units;
    }
    *units = size / unit + (rest > unit - head ? 2 : 1);
    *units = *units < 2 ? 2 : *units;
    return SG_PYMALLOC_CLASSES + (unsigned)(*units < most ? *units : most);
}

static inline uint64_t *sg_next_of(struct sg_addresses *known, unsigned class) {
    return &known->next[class < SG_PYMALLOC_CLASSES ? class : 0];
}

static inline uint16_t *sg_number_of(struct sg_addresses *known, uint64_t address) {
    uint64_t hash = (address >> SG_UNIT_BITS) * UINT64_C(0x9E3779B97F4A7C15);
    return &known->numbers[hash >> (64 - SG_RECENT_BITS)];
}

static inline int sg_is_recent(const struct sg_addresses *known, uint32_t number) {
    return number < known->n_taken && known->n_taken - number <= SG_RECENT;
}

/* Read a new page: `*step` is its difference from the last new page, and `*odd` the address's low 4
 * bits if they are not 0. Returns 0, or -1 if the column ends or its number is too long. */
static inline int sg_read_new_page(struct sg_address_bytes *in, uint64_t *step, uint64_t *odd) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        if (in->pages == in->pages_end || shift > 63)
            return -1;
        uint8_t byte = *in->pages++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            break;
    }
    if (value & 1) {
        if (in->pages == in->pages_end)
            return -1;
        *odd = *in->pages++ & ((1 << SG_UNIT_BITS) - 1);
    }
    value >>= 1;
    *step = value >> 1 ^ -(value & 1);
    return 0;
}

/* Read an address that was not predicted, given by page and offset. Returns 0, or -1 if a column
 * ends. */
static inline int sg_read_page(struct sg_addresses *known, struct sg_address_bytes *in,
                               unsigned place, uint64_t *address) {
    uint64_t page, step, odd = 0;
    if (place == SG_HIGH_SLOT) {
        if (in->offsets == in->offsets_end)
            return -1;
        place = *in->offsets++;
    }
    page = known->pages[place];
    if (place == SG_NEW_PAGE) {
        if (sg_read_new_page(in, &step, &odd) < 0)
            return -1;
        page = known->last_new_page += step;
    }
    if (in->offsets == in->offsets_end)
        return -1;
    *address = page << SG_PAGE_BITS | (uint64_t)*in->offsets++ << SG_UNIT_BITS | odd;
    return 0;
}

/* Read the address of an allocation of `size` bytes. Returns 0, or -1 if the columns are damaged.
 */
static inline int sg_read_taken(struct sg_addresses *known, struct sg_address_bytes *in,
                                uint64_t size, unsigned domain, uint64_t *address) {
    uint64_t units;
    unsigned class = sg_class_of(size, domain, &units);
    if (in->places == in->places_end)
        return -1;
    unsigned place = *in->places++;
    if (place == SG_FORESEEN) {
        if (!known->n_freed[class])
            return -1;
        *address = known->freed[class][known->freed_at[class]];
        known->freed_at[class] = (known->freed_at[class] - 1) & (SG_FREED - 1);
        known->n_freed[class]--;
    } else if (place == SG_NEXT) {
        *address = *sg_next_of(known, class);
    } else if (sg_read_page(known, in, place, address) < 0) {
        return -1;
    }
    unsigned slot = sg_slot_of(*address >> SG_PAGE_BITS);
    uint32_t number = known->n_taken++;
    *sg_next_of(known, class) = *address + (units << SG_UNIT_BITS);
    known->pages[slot] = *address >> SG_PAGE_BITS;
    known->classes[slot] = class < SG_PYMALLOC_CLASSES ? (uint8_t) class : 0;
    known->taken[number & (SG_RECENT - 1)] = *address;
    known->taken_classes[number & (SG_RECENT - 1)] = (uint8_t) class;
    *sg_number_of(known, *address) = (uint16_t)number;
    return 0;
}

/* Update the tables after an address of an event other than an allocation. `is_known`: the address
 * is that of allocation `number`. `is_given`: the event frees the block. */
static inline void sg_note_address(struct sg_addresses *known, struct sg_stride *stride,
                                   uint64_t address, int is_known, uint32_t number, int is_given) {
    uint64_t page = address >> SG_PAGE_BITS;
    unsigned slot = sg_slot_of(page), class = 0;
    stride->step = address - stride->last;
    stride->last = address;
    if (known->pages[slot] == page) {
        class = known->classes[slot];
    } else {
        known->pages[slot] = page;
        known->classes[slot] = 0;
    }
    if (is_known) {
        stride->number_step = number - stride->last_number;
        stride->last_number = number;
        class = known->taken_classes[number & (SG_RECENT - 1)];
        if (is_given)
            known->taken[number & (SG_RECENT - 1)] = 0;
    }
    if (is_given && class) {
        known->freed_at[class] = (known->freed_at[class] + 1) & (SG_FREED - 1);
        known->freed[class][known->freed_at[class]] = address;
        known->n_freed[class] += known->n_freed[class] < SG_FREED;
    }
}

/* Read the address of an event other than an allocation. `is_given`: the event frees the block.
 * Returns 0, or -1 if the columns are damaged. */
static inline int sg_read_address(struct sg_addresses *known, struct sg_address_bytes *in,
                                  struct sg_stride *stride, int is_given, uint64_t *address) {
    if (in->places == in->places_end)
        return -1;
    unsigned place = *in->places++;
    uint32_t number = place >= SG_AGES ? known->n_taken - 1 - (place - SG_AGES)
                                       : stride->last_number + stride->number_step;
    int is_known = place >= SG_AGES || place == SG_FORESEEN;
    if (is_known) {
        *address = known->taken[number & (SG_RECENT - 1)];
        if (!sg_is_recent(known, number) || !*address)
            return -1;
    } else {
        if (place == SG_NEXT)
            *address = stride->last + stride->step;
        else if (sg_read_page(known, in, place, address) < 0)
            return -1;
        number = *sg_number_of(known, *address);
        is_known = *address && sg_is_recent(known, number) &&
                   known->taken[number & (SG_RECENT - 1)] == *address;
    }
    sg_note_address(known, stride, *address, is_known, number, is_given);
    return 0;
}

#endif
