/* Address decoder: foresees what the address coder foresaw. One thread. */
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

/* Read the address that an allocation of `size` bytes got. All return false if a column ends, or
 * has what no coder writes. */
bool sg_address_decoder_take(struct sg_address_coder *known, struct sg_address_input *in,
                             uint64_t size, unsigned domain, uint64_t *address);
/* Read any other; `is_given`: a block that goes back to the allocator. */
bool sg_address_decoder_get(struct sg_address_coder *known, struct sg_address_input *in,
                            struct sg_address_stride *stride, bool is_given, uint64_t *address);

#endif
