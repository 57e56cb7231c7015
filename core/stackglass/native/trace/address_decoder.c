/* Address decoder: places, then offsets and pages where an address was not foreseen. */
#include "trace/address_decoder.h"

#include "platform/varint.h"

/* The page of an address on a page that was not met, and what lies below its units. */
static bool read_new_page(struct sg_address_coder *known, struct sg_address_input *in,
                          uint64_t *page, uint64_t *odd) {
    uint64_t value;
    in->pages = sg_varint_get(in->pages, in->pages_end, &value);
    if (!in->pages)
        return false;
    *odd = 0;
    if (value & 1) {
        if (in->pages == in->pages_end)
            return false;
        *odd = *in->pages++ & ((1 << SG_ADDRESS_UNIT_BITS) - 1);
    }
    *page = known->last_new_page += sg_varint_unzigzag(value >> 1);
    return true;
}

static bool read_page(struct sg_address_coder *known, struct sg_address_input *in, unsigned place,
                      uint64_t *address) {
    uint64_t page = known->pages[place], odd = 0;
    if (place == SG_ADDRESS_NEW_PAGE && !read_new_page(known, in, &page, &odd))
        return false;
    if (in->offsets == in->offsets_end)
        return false;
    *address =
        page << SG_ADDRESS_PAGE_BITS | (uint64_t)*in->offsets++ << SG_ADDRESS_UNIT_BITS | odd;
    return true;
}

bool sg_address_decoder_take(struct sg_address_coder *known, struct sg_address_input *in,
                             uint64_t size, uint64_t *address) {
    unsigned class = sg_address_coder_class(size);
    if (in->places == in->places_end)
        return false;
    unsigned place = *in->places++;
    if (place == SG_ADDRESS_FORESEEN) {
        if (!known->n_freed[class])
            return false;
        *address = known->freed[class][known->freed_at[class]];
        sg_address_coder_pop(known, class);
    } else if (place == SG_ADDRESS_NEXT) {
        *address = known->last_taken[class] + ((uint64_t) class << SG_ADDRESS_UNIT_BITS);
    } else if (!read_page(known, in, place, address)) {
        return false;
    }
    uint64_t page = *address >> SG_ADDRESS_PAGE_BITS;
    unsigned slot = sg_address_coder_slot(page);
    known->last_taken[class] = *address;
    known->pages[slot] = page;
    known->classes[slot] = (uint8_t) class;
    return true;
}

bool sg_address_decoder_get(struct sg_address_coder *known, struct sg_address_input *in,
                            struct sg_address_stride *stride, bool is_given, uint64_t *address) {
    if (in->places == in->places_end)
        return false;
    unsigned place = *in->places++;
    if (place == SG_ADDRESS_FORESEEN)
        *address = stride->last + stride->step;
    else if (place == SG_ADDRESS_NEXT || !read_page(known, in, place, address))
        return false;
    stride->step = *address - stride->last;
    stride->last = *address;
    uint64_t page = *address >> SG_ADDRESS_PAGE_BITS;
    unsigned slot = sg_address_coder_slot(page);
    if (known->pages[slot] != page) {
        known->pages[slot] = page;
        known->classes[slot] = 0;
    } else if (is_given && known->classes[slot]) {
        sg_address_coder_push(known, known->classes[slot], *address);
    }
    return true;
}
