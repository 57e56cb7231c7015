/* Columns: the events of one lane, as seven columns of bytes and a table of symbols.
 *
 *     symbol  = kind, domain, stack, type: one number an event
 *     symbols   0 = a new one; else how many symbols ago it was new, plus 1
 *     sizes     varints, of the events that have a size
 *     places, offsets, pages: addresses (address_coder.h)
 *     times, threads: where they change, as (events since, difference)
 *
 * docs/session-file.md has the whole format. One thread. */
#ifndef STACKGLASS_TRACE_COLUMNS_H
#define STACKGLASS_TRACE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/address_coder.h"
#include "trace/events.h"

enum {
    SG_TRACE_BLOCK_EVENTS = 1 << 16, /* in all lanes of a block */
    SG_TRACE_TICK_BITS = 4,          /* times of lanes with a time for each event: in 16 ns */
};

enum sg_trace_column {
    SG_COLUMN_SYMBOLS,
    SG_COLUMN_SIZES,
    SG_COLUMN_PLACES,
    SG_COLUMN_OFFSETS,
    SG_COLUMN_PAGES,
    SG_COLUMN_TIMES,
    SG_COLUMN_THREADS,
    SG_TRACE_N_COLUMNS,
};

struct sg_trace_symbol {
    uint32_t stack, type;
    uint8_t kind, domain;
};

/* An encoder of columns, in mapped pages: used for one lane after the other. */
struct sg_trace_columns {
    /* The lane's so far. */
    uint32_t n_events, n_symbols;
    struct sg_trace_symbol *symbols;      /* (n_symbols,) in the order in which they were new */
    uint8_t *columns[SG_TRACE_N_COLUMNS]; /* with room for SG_TRACE_BLOCK_EVENTS */
    uint8_t *ends[SG_TRACE_N_COLUMNS];

    bool is_timed;    /* a time for each event */
    int64_t time;     /* of the last stamp, in the lane's unit */
    int64_t first_ns; /* of the first event, as it is written */
    uint32_t tid;
    uint32_t stamped_at, switched_at;  /* events before the last entry of times and threads */
    struct sg_address_stride *strides; /* by symbol: of `address` */
    struct sg_address_stride *others;  /* and of `other` */
    struct symbol_slot *slots;
    uint32_t lane; /* lanes so far: slots of earlier ones are free */
    struct sg_address_coder addresses;
};

/* 0, or -1 if there is no memory. */
int sg_trace_columns_prepare(struct sg_trace_columns *columns);
void sg_trace_columns_discard(struct sg_trace_columns *columns);

/* Begin a lane. `base_ns`: times are counted from here, and none is earlier. */
void sg_trace_columns_begin(struct sg_trace_columns *columns, int64_t base_ns, bool is_timed);
/* Add an event, no earlier than the one before; at most SG_TRACE_BLOCK_EVENTS. */
void sg_trace_columns_add(struct sg_trace_columns *columns, const struct sg_trace_event *event);

/* Of the last event, as it is written: in whole ticks, where each has a time. */
int64_t sg_trace_columns_time_ns(const struct sg_trace_columns *columns);

static inline size_t sg_trace_columns_size(const struct sg_trace_columns *columns,
                                           enum sg_trace_column column) {
    return (size_t)(columns->ends[column] - columns->columns[column]);
}

#endif
