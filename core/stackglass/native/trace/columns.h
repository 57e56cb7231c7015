/* Columns: the events of one lane, as seven columns of bytes and a table of symbols.
 *
 *     symbol    kind, domain, stack and type: one number for each event
 *     symbols   0 = a new symbol; else 1 + the number of symbols that became known since
 *     sizes     varints, for the events that have a size
 *     places, offsets, pages: addresses (address_coder.h)
 *     times, threads: where they change, as (events since, difference)
 *
 * docs/session-file.md has the whole format. Used by one thread at a time. */
#ifndef STACKGLASS_TRACE_COLUMNS_H
#define STACKGLASS_TRACE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/address_coder.h"
#include "trace/events.h"

enum {
    SG_TRACE_BLOCK_EVENTS = 1 << 16, /* events in all lanes of a block */
    SG_TRACE_TICK_BITS = 4,          /* log2 of the tick of timed lanes, 16 ns */
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

/* An encoder of columns, in mapped pages, which is reused for one lane after the other. */
struct sg_trace_columns {
    /* The current lane. */
    uint32_t n_events, n_symbols;
    struct sg_trace_symbol *symbols;      /* (n_symbols,) in the order of first use */
    uint8_t *columns[SG_TRACE_N_COLUMNS]; /* with room for SG_TRACE_BLOCK_EVENTS */
    uint8_t *ends[SG_TRACE_N_COLUMNS];

    bool is_timed;    /* each event has its own time */
    int64_t time;     /* time of the last event, in the lane's unit */
    int64_t first_ns; /* time of the first event, as it is written */
    uint32_t tid;
    /* number of events before the last entry in times and in threads */
    uint32_t stamped_at, switched_at;
    struct sg_address_stride *strides; /* by symbol: strides of `address` */
    struct sg_address_stride *others;  /* by symbol: strides of `other` */
    struct symbol_slot *slots;
    uint32_t lane; /* number of lanes so far; slots of earlier lanes count as free */
    struct sg_address_coder addresses;
};

/* Map the tables. Returns 0, or -1 if memory is short. */
int sg_trace_columns_prepare(struct sg_trace_columns *columns);
void sg_trace_columns_discard(struct sg_trace_columns *columns);

/* Begin a lane. Times are counted from `base_ns`, and no event is earlier. */
void sg_trace_columns_begin(struct sg_trace_columns *columns, int64_t base_ns, bool is_timed);
/* Add an event, which is no earlier than the event before; at most SG_TRACE_BLOCK_EVENTS. */
void sg_trace_columns_add(struct sg_trace_columns *columns, const struct sg_trace_event *event);

/* Return the time of the last event as it is written: in a timed lane, rounded to whole ticks. */
int64_t sg_trace_columns_time_ns(const struct sg_trace_columns *columns);

static inline size_t sg_trace_columns_size(const struct sg_trace_columns *columns,
                                           enum sg_trace_column column) {
    return (size_t)(columns->ends[column] - columns->columns[column]);
}

#endif
