/* Updates the predictions, and falls back to pages. A page is written as its slot if the slot still
 * has it, else as a varint: its distance from the last new page. */
#include "trace/address_coder.h"

#include <stddef.h>

#include "platform/varint.h"

void sg_address_coder_reset(struct sg_address_coder *coder) {
    memset(coder, 0, offsetof(struct sg_address_coder, freed));
}

void sg_address_coder_note_taken(struct sg_address_coder *coder, uint64_t address, unsigned class,
                                 uint64_t units) {
    uint64_t page = address >> SG_ADDRESS_PAGE_BITS;
    unsigned slot = sg_address_coder_slot(page);
    uint32_t number = coder->n_taken++;
    *sg_address_coder_next(coder, class) = address + (units << SG_ADDRESS_UNIT_BITS);
    coder->pages[slot] = page;
    coder->classes[slot] = class < SG_ADDRESS_PYMALLOC_CLASSES ? (uint8_t) class : 0;
    *sg_address_coder_taken(coder, number) = address;
    coder->taken_classes[number & (SG_ADDRESS_RECENT - 1)] = (uint8_t) class;
    *sg_address_coder_number(coder, address) = (uint16_t)number;
}

void sg_address_coder_note(struct sg_address_coder *coder, uint64_t address,
                           struct sg_address_stride *stride, bool is_known, uint32_t number,
                           bool is_given) {
    uint64_t page = address >> SG_ADDRESS_PAGE_BITS;
    unsigned slot = sg_address_coder_slot(page), class = 0;
    stride->step = address - stride->last;
    stride->last = address;
    if (coder->pages[slot] == page) {
        class = coder->classes[slot];
    } else {
        coder->pages[slot] = page;
        coder->classes[slot] = 0;
    }
    if (is_known) {
        stride->number_step = number - stride->last_number;
        stride->last_number = number;
        class = coder->taken_classes[number & (SG_ADDRESS_RECENT - 1)];
    }
    if (!is_given)
        return;
    if (is_known)
        *sg_address_coder_taken(coder, number) = 0;
    if (class) {
        coder->freed_at[class] = (coder->freed_at[class] + 1) & (SG_ADDRESS_FREED - 1);
        coder->freed[class][coder->freed_at[class]] = address;
        coder->n_freed[class] += coder->n_freed[class] < SG_ADDRESS_FREED;
    }
}

/* Write an address that was not predicted. A slot of `n_slots` or more takes one more byte. */
static void put_page(struct sg_address_coder *coder, struct sg_address_columns *out,
                     uint64_t address, unsigned n_slots) {
    const uint64_t unit = 1 << SG_ADDRESS_UNIT_BITS;
    uint64_t page = address >> SG_ADDRESS_PAGE_BITS, odd = address & (unit - 1);
    unsigned slot = sg_address_coder_slot(page);
    if (coder->pages[slot] == page && page && !odd) {
        *out->places++ = (uint8_t)(slot < n_slots ? slot : SG_ADDRESS_HIGH_SLOT);
        if (slot >= n_slots)
            *out->offsets++ = (uint8_t)slot;
    } else {
        uint64_t step = page - coder->last_new_page;
        *out->places++ = SG_ADDRESS_NEW_PAGE;
        out->pages = sg_varint_put(out->pages, sg_varint_zigzag(step) << 1 | (odd != 0));
        if (odd)
            *out->pages++ = (uint8_t)odd;
        coder->last_new_page = page;
    }
    *out->offsets++ = (uint8_t)(address >> SG_ADDRESS_UNIT_BITS);
}

void sg_address_coder_take(struct sg_address_coder *coder, struct sg_address_columns *out,
                           uint64_t address, uint64_t size, unsigned domain) {
    uint64_t units;
    unsigned class = sg_address_coder_class(size, domain, &units);
    if (coder->n_freed[class] && coder->freed[class][coder->freed_at[class]] == address) {
        sg_address_coder_pop(coder, class);
        *out->places++ = SG_ADDRESS_FORESEEN;
    } else if (*sg_address_coder_next(coder, class) == address) {
        *out->places++ = SG_ADDRESS_NEXT;
    } else {
        put_page(coder, out, address, SG_ADDRESS_SLOTS);
    }
    sg_address_coder_note_taken(coder, address, class, units);
}

void sg_address_coder_put(struct sg_address_coder *coder, struct sg_address_columns *out,
                          uint64_t address, struct sg_address_stride *stride, bool is_given) {
    uint32_t number;
    bool is_known = sg_address_coder_find(coder, address, &number);
    uint32_t age = coder->n_taken - 1 - number;
    if (is_known && age < SG_ADDRESS_N_AGES)
        *out->places++ = (uint8_t)(SG_ADDRESS_AGES + age);
    else if (is_known && number - stride->last_number == stride->number_step)
        *out->places++ = SG_ADDRESS_FORESEEN;
    else if (address - stride->last == stride->step)
        *out->places++ = SG_ADDRESS_NEXT;
    else
        put_page(coder, out, address, SG_ADDRESS_AGES);
    sg_address_coder_note(coder, address, stride, is_known, number, is_given);
}
