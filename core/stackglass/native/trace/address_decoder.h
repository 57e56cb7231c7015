/* Address decoder: reads addresses by making the address coder's predictions again. Used by one
 * thread at a time. */
#ifndef STACKGLASS_TRACE_ADDRESS_DECODER_H
#define STACKGLASS_TRACE_ADDRESS_DECODER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/address_coder.h"

/* The three columns of a lane's addresses, read in step. */
struct sg_address_input {
    const uint8_t *places, *places_end;
    const uint8_t *offsets, *offsets_end;
    const uint8_t *pages, *pages_end;
};

/* Read the address of an allocation of `size` bytes. Both functions return false if a column ends
 * or has a value that no coder writes. */
bool sg_address_decoder_take(struct sg_address_coder *known, struct sg_address_input *in,
                             uint64_t size, unsigned domain, uint64_t *address);
/* Read any other address. `is_given`: the block returns to the allocator. */
bool sg_address_decoder_get(struct sg_address_coder *known, struct sg_address_input *in,
                            struct sg_address_stride *stride, bool is_given, uint64_t *address);

#endif
