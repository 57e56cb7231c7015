/* Lane reader: the rows of one lane as events, with what they refer to: the time, the thread and
 * the stack of earlier rows.
 *
 *     row ─▶ stack (stack_tree) ─▶ event ─▶ columns
 *                                    └────▶ fresh objects, counts, threads
 *
 * A reallocation is one event. It is a free and an allocation if the block moved and another lane
 * may have taken its address in between, or if it is still under way when others are read.
 *
 * One thread, the writer's; no GIL. */
#ifndef STACKGLASS_TRACE_LANE_READER_H
#define STACKGLASS_TRACE_LANE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "frames/stack_tree.h"
#include "platform/vector.h"
#include "trace/columns.h"
#include "trace/fresh.h"
#include "trace/lanes.h"
#include "trace/row_reader.h"

/* A reallocation of which only the begin was read. */
struct sg_pending_realloc {
    uint64_t address; /* 0 = none */
    uint8_t domain;
    bool is_freed; /* the free was an event already */
};

/* What the rows of a lane refer to. */
struct sg_lane_reader {
    struct sg_trace_place place;
    int64_t time_ns;
    uint32_t tid;
    uint32_t stack; /* of the last event that had one */
    uint32_t n_nodes, most_nodes;
    uint32_t *nodes; /* (n_nodes,): of that stack, root first */
    struct sg_pending_realloc pending;
    struct sg_trace_place end; /* where this block ends in the lane */
};

enum { SG_ADDRESS_BITS = 18 };

struct sg_reader_counts {
    uint64_t n_events, n_lost;
    uint64_t n_stacks_lost; /* events whose stack found no room */
};

/* All lanes, and what their rows become. */
struct sg_reading {
    struct sg_lane_reader *lanes; /* (SG_N_LANES,) */
    bool is_alone;                /* only the first lane has been used */
    /* Addresses in the rows of all lanes but the first, up to their ends: bits, by hash. */
    uint64_t others[(1 << SG_ADDRESS_BITS) / 64];
    struct sg_stack_tree *stacks;
    struct sg_trace_columns columns;
    struct sg_fresh *fresh; /* of this generation */
    struct sg_vector threads;
    struct sg_reader_counts counts;
};

static inline uint32_t sg_lane_reader_bit(uint64_t address) {
    return (uint32_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SG_ADDRESS_BITS));
}

/* Take a row of lane `number` in. The columns have room for two events. Returns its words. */
uint32_t sg_lane_reader_take_row(struct sg_reading *reading, struct sg_lane_reader *lane,
                                 uint32_t number, const uint64_t *words);
/* The free of a reallocation that cannot be one event. */
void sg_lane_reader_free_pending(struct sg_reading *reading, struct sg_lane_reader *lane);

#endif
