/* Decoder of the memory trace's event blocks. docs/session-file.md specifies the format. */
#ifndef SG_EVENT_BLOCK_H
#define SG_EVENT_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "column.h"

enum { SG_BLOCK_PLAIN = 0, SG_BLOCK_LZ4 = 1, SG_BLOCK_MOST_EVENTS = 1 << 16 };
enum { SG_BLOCK_MOST_BYTES = 16 << 20 }; /* limit for the unpacked size */

/* The columns of events: name, C type and kind of each. A row is an event. */
#define SG_BLOCK_COLUMNS(COLUMN)                                                                   \
    COLUMN(kind, uint8_t, SG_BYTES)                                                                \
    COLUMN(time_ns, int64_t, SG_I64)                                                               \
    COLUMN(tid, uint32_t, SG_U32)                                                                  \
    COLUMN(address, uint64_t, SG_U64)                                                              \
    COLUMN(size, uint64_t, SG_U64)                                                                 \
    COLUMN(stack, uint32_t, SG_U32)                                                                \
    COLUMN(type, uint32_t, SG_U32)                                                                 \
    COLUMN(domain, uint8_t, SG_BYTES)                                                              \
    COLUMN(other, uint64_t, SG_U64)

struct sg_event_columns {
#define SG_DECLARE(name, type, kind) struct sg_vector name;
    SG_BLOCK_COLUMNS(SG_DECLARE)
#undef SG_DECLARE
};

/* Decode a block of `size` bytes, `raw_size` when unpacked, into empty columns. The events of its
 * lanes are merged by time, then by lane. Returns 0; -1 and sets `*error` to a sentence without
 * full stop; or -2 if memory is short. On failure the columns may be partly filled. */
int sg_decode_event_block(const uint8_t *payload, size_t size, unsigned packing, size_t raw_size,
                          struct sg_event_columns *columns, const char **error);
void sg_release_event_columns(struct sg_event_columns *columns);

#endif
