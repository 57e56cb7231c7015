/* Lane reader: turns the rows of a lane into events. A row has a time, a thread or a stack only if
 * it differs from the row before; an event has all of them.
 *
 *     row ─▶ stack (stack_tree) ─▶ event ─▶ columns
 *                                    └────▶ fresh objects, counts, threads
 *
 * A reallocation is one event. It becomes a free and an allocation if the block moved and another
 * lane may have got its address in between; or, if several lanes are in use, if it is still under
 * way at the end of the block of events.
 *
 * Only the writer's thread uses it, without the GIL. */
#ifndef STACKGLASS_TRACE_LANE_READER_H
#define STACKGLASS_TRACE_LANE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "frames/stack_tree.h"
#include "platform/vector.h"
#include "trace/columns.h"
#include "trace/fresh_objects.h"
#include "trace/lanes.h"
#include "trace/row_reader.h"

/* A reallocation that has begun; its end has not been read yet. */
struct sg_pending_realloc {
    uint64_t address; /* 0 = none */
    uint8_t domain;
    bool is_freed; /* the free was an event already */
};

/* The position in a lane, and the values that the next row may omit. */
struct sg_lane_reader {
    struct sg_trace_place place;
    int64_t time_ns;
    uint32_t tid;
    uint32_t stack; /* stack of the last event that had one */
    uint32_t n_nodes, most_nodes;
    uint32_t *nodes; /* (n_nodes,): nodes of that stack in `stacks`, root first */
    struct sg_pending_realloc pending;
    struct sg_trace_place end; /* end of this block of events in the lane */
};

enum { SG_ADDRESS_BITS = 18 }; /* bits of an address's hash */

struct sg_reader_counts {
    uint64_t n_events, n_lost;
    uint64_t n_stacks_lost; /* events without a stack, because there was no room for it */
};

/* All lanes, and the data that their rows fill. */
struct sg_reading {
    struct sg_lane_reader *lanes; /* (SG_N_LANES,) */
    bool is_alone;                /* only the first lane has been used */
    /* A Bloom filter with one hash: the addresses in this block's rows of all lanes except the
     * first. */
    uint64_t others[(1 << SG_ADDRESS_BITS) / 64];
    struct sg_stack_tree *stacks;
    struct sg_trace_columns columns;
    struct sg_fresh_objects *fresh; /* fresh objects of this generation */
    struct sg_vector threads;
    struct sg_reader_counts counts;
};

static inline uint32_t sg_lane_reader_bit(uint64_t address) {
    return (uint32_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SG_ADDRESS_BITS));
}

/* Read a row of lane `number`. It becomes at most two events, for which the columns must have room.
 * Returns the number of words in the row. */
uint32_t sg_lane_reader_take_row(struct sg_reading *reading, struct sg_lane_reader *lane,
                                 uint32_t number, const uint64_t *words);
/* Add a free for a pending reallocation, which then cannot become one event. */
void sg_lane_reader_free_pending(struct sg_reading *reading, struct sg_lane_reader *lane);

#endif
