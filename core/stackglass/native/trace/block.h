/* Event block: the columns of one or more lanes. It is packed once its stacks and types have
 * numbers of the session.
 *
 *     lane ──columns──▶ block ──stacks and types named──▶ payload ──▶ clients, file
 *
 * Used by one thread at a time. */
#ifndef STACKGLASS_TRACE_BLOCK_H
#define STACKGLASS_TRACE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/encoder.h"
#include "platform/lz4.h"
#include "platform/vector.h"
#include "trace/columns.h"

enum { SG_BLOCK_PLAIN = 0, SG_BLOCK_LZ4 = 1, SG_BLOCK_LAYOUT = 2 };

struct sg_trace_lane_head {
    uint32_t n_events, n_symbols;
    bool is_timed;
    uint32_t sizes[SG_TRACE_N_COLUMNS];
};

/* All zero = empty. */
struct sg_trace_block {
    uint32_t n_events;
    int64_t base_ns, first_ns, last_ns;
    uint32_t most_stack, most_type; /* highest engine numbers in the block */
    struct lane_heads SG_ROWS_OF(struct sg_trace_lane_head) heads;
    struct lane_symbols SG_ROWS_OF(struct sg_trace_symbol) symbols; /* lane after lane */
    struct sg_buffer columns;
};

struct sg_trace_payload {
    struct sg_buffer bytes; /* owned */
    uint32_t raw_bytes, packing;
};

/* Look up the session's number of an engine's stack or type. */
struct sg_trace_numbers {
    uint32_t (*find_stack)(void *context, uint32_t stack);
    uint32_t (*find_type)(void *context, uint32_t type);
    void *context;
};

/* Empty the block, which begins at `base_ns`. */
void sg_trace_block_begin(struct sg_trace_block *block, int64_t base_ns);
/* Append the lane in `columns`, unless it has no events. Returns false if memory is short; then the
 * block cannot be packed. */
bool sg_trace_block_add(struct sg_trace_block *block, const struct sg_trace_columns *columns);
/* Pack the block into `payload`, which reuses its memory. Returns false if memory is short. */
bool sg_trace_block_pack(const struct sg_trace_block *block, const struct sg_trace_numbers *numbers,
                         struct sg_lz4_table *table, struct sg_trace_payload *payload);
void sg_trace_block_free(struct sg_trace_block *block);

#endif
