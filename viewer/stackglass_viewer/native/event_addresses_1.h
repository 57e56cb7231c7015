/* Decoder of the addresses in event blocks of layout 1, which earlier versions wrote. The codes are
 * those of event_addresses.h, with two differences: all codes from 3 on are slots; and for an
 * address that is not an allocation's, code 0 is one stride on in bytes and code 1 is invalid. */
#ifndef SG_EVENT_ADDRESSES_1_H
#define SG_EVENT_ADDRESSES_1_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "event_addresses.h"

enum { SG_CLASSES_1 = 64, SG_N_CODES_1 = 3 };

struct sg_addresses_1 {
    uint64_t pages[SG_SLOTS];
    uint8_t classes[SG_SLOTS];
    uint64_t last_new_page;
    uint64_t last_taken[SG_CLASSES_1];
    uint8_t n_freed[SG_CLASSES_1], freed_at[SG_CLASSES_1];
    uint64_t freed[SG_CLASSES_1][SG_FREED];
};

static inline void sg_forget_addresses_1(struct sg_addresses_1 *known) {
    memset(known, 0, offsetof(struct sg_addresses_1, freed));
}

static inline unsigned sg_slot_of_1(uint64_t page) {
    unsigned slot = (page ^ page >> 8) & (SG_SLOTS - 1);
    return slot < SG_N_CODES_1 ? slot + SG_N_CODES_1 : slot;
}

static inline unsigned sg_class_of_1(uint64_t size) {
    uint64_t units = size / (1 << SG_UNIT_BITS) + (size % (1 << SG_UNIT_BITS) != 0);
    return units < SG_CLASSES_1 ? (unsigned)units : SG_CLASSES_1 - 1;
}

/* Read an address that was not predicted, given by page and offset. Returns 0, or -1 if a column
 * ends. */
static inline int sg_read_page_1(struct sg_addresses_1 *known, struct sg_address_bytes *in,
                                 unsigned place, uint64_t *address) {
    uint64_t page = known->pages[place], odd = 0;
    if (place == SG_NEW_PAGE) {
        uint64_t step = 0;
        unsigned shift = 0;
        for (;; shift += 7) {
            if (in->pages == in->pages_end || shift > 63)
                return -1;
            uint8_t byte = *in->pages++;
            step |= (uint64_t)(byte & 0x7F) << shift;
            if (byte < 0x80)
                break;
        }
        if (step & 1) {
            if (in->pages == in->pages_end)
                return -1;
            odd = *in->pages++ & ((1 << SG_UNIT_BITS) - 1);
        }
        step >>= 1;
        page = known->last_new_page + (step >> 1 ^ -(step & 1));
        known->last_new_page = page;
    }
    if (in->offsets == in->offsets_end)
        return -1;
    *address = page << SG_PAGE_BITS | (uint64_t)*in->offsets++ << SG_UNIT_BITS | odd;
    return 0;
}

/* Read the address of an allocation of `size` bytes. Returns 0, or -1 if the columns are damaged.
 */
static inline int sg_read_taken_1(struct sg_addresses_1 *known, struct sg_address_bytes *in,
                                  uint64_t size, uint64_t *address) {
    unsigned class = sg_class_of_1(size);
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
        *address = known->last_taken[class] + ((uint64_t) class << SG_UNIT_BITS);
    } else if (sg_read_page_1(known, in, place, address) < 0) {
        return -1;
    }
    unsigned slot = sg_slot_of_1(*address >> SG_PAGE_BITS);
    known->last_taken[class] = *address;
    known->pages[slot] = *address >> SG_PAGE_BITS;
    known->classes[slot] = (uint8_t) class;
    return 0;
}

/* Read the address of an event other than an allocation. `is_given`: the event frees the block.
 * Returns 0, or -1 if the columns are damaged. */
static inline int sg_read_address_1(struct sg_addresses_1 *known, struct sg_address_bytes *in,
                                    struct sg_stride *stride, int is_given, uint64_t *address) {
    if (in->places == in->places_end)
        return -1;
    unsigned place = *in->places++;
    if (place == SG_NEXT)
        return -1;
    if (place == SG_FORESEEN)
        *address = stride->last + stride->step;
    else if (sg_read_page_1(known, in, place, address) < 0)
        return -1;
    stride->step = *address - stride->last;
    stride->last = *address;
    uint64_t page = *address >> SG_PAGE_BITS;
    unsigned slot = sg_slot_of_1(page), class = known->classes[slot];
    if (known->pages[slot] != page) {
        known->pages[slot] = page;
        known->classes[slot] = 0;
    } else if (is_given && class) {
        known->freed_at[class] = (known->freed_at[class] + 1) & (SG_FREED - 1);
        known->freed[class][known->freed_at[class]] = *address;
        known->n_freed[class] += known->n_freed[class] < SG_FREED;
    }
    return 0;
}

#endif
