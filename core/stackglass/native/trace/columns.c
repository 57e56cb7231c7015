/* Writes each part of an event to its own column, so that similar values lie side by side and
 * compress well.
 *
 *     symbol     (kind, domain, stack, type) ─▶ hash table ─▶ its age: varint
 *     address    predicted from addresses before (address_coder.h)
 *     time, tid  only where they change; in timed lanes a time for each event
 *
 * The hash table is emptied for each lane by incrementing `lane`. Columns have room for the largest
 * block, so no write checks for room. */
#include "trace/columns.h"

#include <string.h>

#include "platform/hash_index.h"
#include "platform/memory.h"
#include "platform/varint.h"

enum { N_SLOTS = 2 * SG_TRACE_BLOCK_EVENTS };

/* Slot of an open-addressing hash table of symbols. */
struct symbol_slot {
    uint32_t lane; /* a slot of an earlier lane is free */
    uint32_t symbol;
};

/* Most bytes that one event adds to a column. */
static const size_t MOST_BYTES[SG_TRACE_N_COLUMNS] = {
    [SG_COLUMN_SYMBOLS] = 3,
    [SG_COLUMN_SIZES] = SG_VARINT_MOST,
    [SG_COLUMN_PLACES] = 2 * SG_ADDRESS_MOST_PLACES,
    [SG_COLUMN_OFFSETS] = 2 * SG_ADDRESS_MOST_OFFSETS,
    [SG_COLUMN_PAGES] = 2 * SG_ADDRESS_MOST_PAGES,
    [SG_COLUMN_TIMES] = 3 + SG_VARINT_MOST,
    [SG_COLUMN_THREADS] = 3 + SG_VARINT_MOST,
};

int sg_trace_columns_prepare(struct sg_trace_columns *columns) {
    memset(columns, 0, sizeof *columns);
    bool is_there = true;
    for (int i = 0; i < SG_TRACE_N_COLUMNS; i++) {
        columns->columns[i] = sg_memory_map(SG_TRACE_BLOCK_EVENTS * MOST_BYTES[i]);
        is_there &= columns->columns[i] != NULL;
    }
    columns->symbols = sg_memory_map(SG_TRACE_BLOCK_EVENTS * sizeof *columns->symbols);
    columns->strides = sg_memory_map(SG_TRACE_BLOCK_EVENTS * sizeof *columns->strides);
    columns->others = sg_memory_map(SG_TRACE_BLOCK_EVENTS * sizeof *columns->others);
    columns->slots = sg_memory_map(N_SLOTS * sizeof *columns->slots);
    if (is_there && columns->symbols && columns->strides && columns->others && columns->slots)
        return 0;
    sg_trace_columns_discard(columns);
    return -1;
}

void sg_trace_columns_discard(struct sg_trace_columns *columns) {
    for (int i = 0; i < SG_TRACE_N_COLUMNS; i++)
        sg_memory_unmap(columns->columns[i], SG_TRACE_BLOCK_EVENTS * MOST_BYTES[i]);
    sg_memory_unmap(columns->symbols, SG_TRACE_BLOCK_EVENTS * sizeof *columns->symbols);
    sg_memory_unmap(columns->strides, SG_TRACE_BLOCK_EVENTS * sizeof *columns->strides);
    sg_memory_unmap(columns->others, SG_TRACE_BLOCK_EVENTS * sizeof *columns->others);
    sg_memory_unmap(columns->slots, N_SLOTS * sizeof *columns->slots);
    memset(columns, 0, sizeof *columns);
}

void sg_trace_columns_begin(struct sg_trace_columns *columns, int64_t base_ns, bool is_timed) {
    columns->n_events = columns->n_symbols = 0;
    columns->is_timed = is_timed;
    columns->time = is_timed ? base_ns >> SG_TRACE_TICK_BITS : base_ns;
    columns->tid = columns->stamped_at = columns->switched_at = 0;
    columns->lane++;
    for (int i = 0; i < SG_TRACE_N_COLUMNS; i++)
        columns->ends[i] = columns->columns[i];
    sg_address_coder_reset(&columns->addresses);
}

static bool is_equal(const struct sg_trace_symbol *symbol, const struct sg_trace_event *event) {
    return symbol->stack == event->stack && symbol->type == event->type &&
           symbol->kind == event->kind && symbol->domain == event->domain;
}

static uint32_t find_symbol(struct sg_trace_columns *columns, const struct sg_trace_event *event) {
    uint64_t hash = sg_hash_index_mix((uint64_t)event->stack << 32 | event->type,
                                      (uint64_t)event->kind << 8 | event->domain);
    uint32_t at = (uint32_t)hash & (N_SLOTS - 1);
    for (; columns->slots[at].lane == columns->lane; at = (at + 1) & (N_SLOTS - 1))
        if (is_equal(&columns->symbols[columns->slots[at].symbol], event))
            return columns->slots[at].symbol;
    columns->slots[at] = (struct symbol_slot){columns->lane, columns->n_symbols};
    columns->symbols[columns->n_symbols] = (struct sg_trace_symbol){
        .stack = event->stack,
        .type = event->type,
        .kind = event->kind,
        .domain = event->domain,
    };
    columns->strides[columns->n_symbols] = (struct sg_address_stride){0};
    columns->others[columns->n_symbols] = (struct sg_address_stride){0};
    return columns->n_symbols++;
}

static uint8_t **end_of(struct sg_trace_columns *columns, enum sg_trace_column column) {
    return &columns->ends[column];
}

static void put_varint(struct sg_trace_columns *columns, enum sg_trace_column column,
                       uint64_t value) {
    *end_of(columns, column) = sg_varint_put(*end_of(columns, column), value);
}

static uint32_t put_symbol(struct sg_trace_columns *columns, const struct sg_trace_event *event) {
    uint32_t n_before = columns->n_symbols;
    uint32_t symbol = find_symbol(columns, event);
    put_varint(columns, SG_COLUMN_SYMBOLS, symbol == n_before ? 0 : columns->n_symbols - symbol);
    return symbol;
}

/* Write the event's time. Ticks are rounded up, so that no time is before the last time of the
 * previous block. */
static void put_time(struct sg_trace_columns *columns, int64_t time_ns) {
    const int64_t tick_ns = 1 << SG_TRACE_TICK_BITS;
    int64_t time = columns->is_timed ? (time_ns + tick_ns - 1) >> SG_TRACE_TICK_BITS : time_ns;
    if (columns->is_timed) {
        put_varint(columns, SG_COLUMN_TIMES, (uint64_t)(time - columns->time));
    } else if (time != columns->time) {
        put_varint(columns, SG_COLUMN_TIMES, columns->n_events - columns->stamped_at);
        put_varint(columns, SG_COLUMN_TIMES, (uint64_t)(time - columns->time));
        columns->stamped_at = columns->n_events;
    }
    columns->time = time;
}

int64_t sg_trace_columns_time_ns(const struct sg_trace_columns *columns) {
    return columns->is_timed ? columns->time * (1 << SG_TRACE_TICK_BITS) : columns->time;
}

static void put_thread(struct sg_trace_columns *columns, uint32_t tid) {
    if (tid == columns->tid)
        return;
    put_varint(columns, SG_COLUMN_THREADS, columns->n_events - columns->switched_at);
    put_varint(columns, SG_COLUMN_THREADS,
               sg_varint_zigzag((uint64_t)tid - (uint64_t)columns->tid));
    columns->switched_at = columns->n_events;
    columns->tid = tid;
}

static void put_addresses(struct sg_trace_columns *columns, const struct sg_trace_event *event,
                          uint32_t symbol, unsigned shape) {
    struct sg_address_columns out = {
        .places = *end_of(columns, SG_COLUMN_PLACES),
        .offsets = *end_of(columns, SG_COLUMN_OFFSETS),
        .pages = *end_of(columns, SG_COLUMN_PAGES),
    };
    bool is_given = shape & SG_TRACE_GIVES_BLOCK;
    if (shape & SG_TRACE_HAS_OTHER)
        sg_address_coder_put(&columns->addresses, &out, event->other, &columns->others[symbol],
                             is_given);
    if (shape & SG_TRACE_TAKES_BLOCK)
        sg_address_coder_take(&columns->addresses, &out, event->address, event->size,
                              event->domain);
    else
        sg_address_coder_put(&columns->addresses, &out, event->address, &columns->strides[symbol],
                             is_given);
    *end_of(columns, SG_COLUMN_PLACES) = out.places;
    *end_of(columns, SG_COLUMN_OFFSETS) = out.offsets;
    *end_of(columns, SG_COLUMN_PAGES) = out.pages;
}

void sg_trace_columns_add(struct sg_trace_columns *columns, const struct sg_trace_event *event) {
    unsigned shape = sg_trace_events_shape(event->kind);
    uint32_t symbol = put_symbol(columns, event);
    put_time(columns, event->time_ns);
    if (!columns->n_events)
        columns->first_ns = sg_trace_columns_time_ns(columns);
    put_thread(columns, event->tid);
    if (shape & SG_TRACE_HAS_SIZE)
        put_varint(columns, SG_COLUMN_SIZES, event->size);
    if (shape & SG_TRACE_HAS_ADDRESS)
        put_addresses(columns, event, symbol, shape);
    columns->n_events++;
}
