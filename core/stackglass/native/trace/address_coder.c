/* Address coder: what is foreseen, and pages. */
#include "trace/address_coder.h"

#include <stddef.h>

#include "platform/varint.h"

void sg_address_coder_reset(struct sg_address_coder *coder) {
    memset(coder, 0, offsetof(struct sg_address_coder, freed));
}

/* An address that was not foreseen. */
static void put_page(struct sg_address_coder *coder, struct sg_address_columns *out,
                     uint64_t address, unsigned slot) {
    const uint64_t unit = 1 << SG_ADDRESS_UNIT_BITS;
    uint64_t page = address >> SG_ADDRESS_PAGE_BITS, odd = address & (unit - 1);
    if (coder->pages[slot] == page && page && !odd) {
        *out->places++ = (uint8_t)slot;
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
                           uint64_t address, uint64_t size) {
    uint64_t page = address >> SG_ADDRESS_PAGE_BITS;
    unsigned slot = sg_address_coder_slot(page), class = sg_address_coder_class(size);
    if (coder->n_freed[class] && coder->freed[class][coder->freed_at[class]] == address) {
        sg_address_coder_pop(coder, class);
        *out->places++ = SG_ADDRESS_FORESEEN;
    } else if (coder->last_taken[class] + ((uint64_t) class << SG_ADDRESS_UNIT_BITS) == address) {
        *out->places++ = SG_ADDRESS_NEXT;
    } else {
        put_page(coder, out, address, slot);
    }
    coder->last_taken[class] = address;
    coder->pages[slot] = page;
    coder->classes[slot] = (uint8_t) class;
}

void sg_address_coder_put(struct sg_address_coder *coder, struct sg_address_columns *out,
                          uint64_t address, struct sg_address_stride *stride, bool is_given) {
    uint64_t page = address >> SG_ADDRESS_PAGE_BITS, step = address - stride->last;
    unsigned slot = sg_address_coder_slot(page);
    if (step == stride->step)
        *out->places++ = SG_ADDRESS_FORESEEN;
    else
        put_page(coder, out, address, slot);
    stride->step = step;
    stride->last = address;
    if (coder->pages[slot] != page) {
        coder->pages[slot] = page;
        coder->classes[slot] = 0; /* not known */
    } else if (is_given && coder->classes[slot]) {
        sg_address_coder_push(coder, coder->classes[slot], address);
    }
}
