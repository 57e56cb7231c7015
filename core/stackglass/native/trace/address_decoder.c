/* Reads one byte of `places` for each address; offsets and pages only if it was not predicted. */
#include "trace/address_decoder.h"

#include "platform/varint.h"

/* Read a page that did not occur before. `odd` gets the address's bits below a unit. */
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
    uint64_t page, odd = 0;
    if (place == SG_ADDRESS_HIGH_SLOT) {
        if (in->offsets == in->offsets_end)
            return false;
        place = *in->offsets++;
    }
    page = known->pages[place];
    if (place == SG_ADDRESS_NEW_PAGE && !read_new_page(known, in, &page, &odd))
        return false;
    if (in->offsets == in->offsets_end)
        return false;
    *address =
        page << SG_ADDRESS_PAGE_BITS | (uint64_t)*in->offsets++ << SG_ADDRESS_UNIT_BITS | odd;
    return true;
}

bool sg_address_decoder_take(struct sg_address_coder *known, struct sg_address_input *in,
                             uint64_t size, unsigned domain, uint64_t *address) {
    uint64_t units;
    unsigned class = sg_address_coder_class(size, domain, &units);
    if (in->places == in->places_end)
        return false;
    unsigned place = *in->places++;
    if (place == SG_ADDRESS_FORESEEN) {
        if (!known->n_freed[class])
            return false;
        *address = known->freed[class][known->freed_at[class]];
        sg_address_coder_pop(known, class);
    } else if (place == SG_ADDRESS_NEXT) {
        *address = *sg_address_coder_next(known, class);
    } else if (!read_page(known, in, place, address)) {
        return false;
    }
    sg_address_coder_note_taken(known, *address, class, units);
    return true;
}

bool sg_address_decoder_get(struct sg_address_coder *known, struct sg_address_input *in,
                            struct sg_address_stride *stride, bool is_given, uint64_t *address) {
    if (in->places == in->places_end)
        return false;
    unsigned place = *in->places++;
    uint32_t number = place >= SG_ADDRESS_AGES ? known->n_taken - 1 - (place - SG_ADDRESS_AGES)
                                               : stride->last_number + stride->number_step;
    bool is_known = place >= SG_ADDRESS_AGES || place == SG_ADDRESS_FORESEEN;
    if (is_known) {
        *address = *sg_address_coder_taken(known, number);
        if (!sg_address_coder_is_recent(known, number) || !*address)
            return false;
    } else {
        if (place == SG_ADDRESS_NEXT)
            *address = stride->last + stride->step;
        else if (!read_page(known, in, place, address))
            return false;
        is_known = sg_address_coder_find(known, *address, &number);
    }
    sg_address_coder_note(known, *address, stride, is_known, number, is_given);
    return true;
}
