/* Block decoder: reads the events of an event block, in their order. It checks all its input,
 * because a block comes from another process. docs/session-file.md has the format. */
#ifndef STACKGLASS_TRACE_BLOCK_DECODER_H
#define STACKGLASS_TRACE_BLOCK_DECODER_H

#include <stddef.h>
#include <stdint.h>

#include "trace/events.h"

enum sg_block_decoder_result {
    SG_BLOCK_DECODED,
    SG_BLOCK_DAMAGED,
    SG_BLOCK_NO_MEMORY,
};

struct sg_block_decoder; /* memory that is reused for each block */

/* Return a decoder, or NULL if memory is short. */
struct sg_block_decoder *sg_block_decoder_new(void);
void sg_block_decoder_free(struct sg_block_decoder *decoder);

/* Decode a block of `size` bytes. `packing` says how it is packed, and `raw_size` is its unpacked
 * size. `events` gets the events of all lanes, by time and then by lane; they are valid until the
 * next call. Used by one thread at a time. */
enum sg_block_decoder_result sg_block_decoder_read(struct sg_block_decoder *decoder,
                                                   const uint8_t *payload, size_t size,
                                                   unsigned packing, size_t raw_size,
                                                   const struct sg_trace_event **events,
                                                   uint32_t *n_events);

#endif
