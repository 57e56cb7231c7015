/* How columns become events:
 *
 *     │ head, heads of lanes │ symbols of each lane │ columns of each lane │
 *       read_heads             read_symbols           find_columns
 *                                                          ▼
 *                events, lane after lane (read_events) ──merge──▶ by time; of equal ones, by lane
 *
 * An event has a symbol (kind, domain, stack and type in one) and the fields that its kind's shape
 * lists. A symbol is given by its age: 0 = a new symbol, n = the nth last of the symbols so far.
 * Times and threads are pairs, "after so many events, this change". In timed lanes each event has
 * its own time step instead.
 *
 * Nothing is trusted: a number is compared with what is left before it is added or used as an
 * index. The arrays have room for a whole block, and the heads are checked not to announce more. */
#include "trace/block_decoder.h"

#include <stdlib.h>
#include <string.h>

#include "platform/lz4_unpack.h"
#include "platform/varint.h"
#include "trace/address_decoder.h"
#include "trace/block.h"

enum { MOST_RAW_BYTES = 16 << 20 };

/* A symbol of the block, and the state of its addresses' coding. */
struct symbol {
    struct sg_trace_symbol event;
    struct sg_address_stride address, other;
};

struct input {
    const uint8_t *at, *end;
};

struct lane {
    uint64_t n_events, n_symbols, is_timed;
    uint64_t sizes[SG_TRACE_N_COLUMNS];
    struct input columns[SG_TRACE_N_COLUMNS];
    struct symbol *symbols;
    struct sg_trace_event *next, *end; /* cursor of the merge */
};

struct sg_block_decoder {
    struct sg_trace_event events[SG_TRACE_BLOCK_EVENTS]; /* lane after lane */
    struct sg_trace_event merged[SG_TRACE_BLOCK_EVENTS];
    struct symbol symbols[SG_TRACE_BLOCK_EVENTS];
    struct sg_address_coder addresses;
    struct lane *lanes; /* (n_lanes,) */
    size_t n_lanes;
    uint64_t n_events;
    int64_t base_ns;
    uint8_t *raw;
};

struct sg_block_decoder *sg_block_decoder_new(void) {
    return calloc(1, sizeof(struct sg_block_decoder));
}

void sg_block_decoder_free(struct sg_block_decoder *decoder) {
    if (decoder) {
        free(decoder->lanes);
        free(decoder->raw);
    }
    free(decoder);
}

static bool read_varint(struct input *in, uint64_t *value) {
    const uint8_t *next = sg_varint_get(in->at, in->end, value);
    in->at = next ? next : in->at;
    return next != NULL;
}

static enum sg_block_decoder_result read_heads(struct sg_block_decoder *decoder, struct input *in) {
    uint64_t layout, n_lanes, base_ns, n_events = 0, n_symbols = 0;
    if (!read_varint(in, &layout) || layout != SG_BLOCK_LAYOUT ||
        !read_varint(in, &decoder->n_events) || !read_varint(in, &n_lanes) ||
        !read_varint(in, &base_ns) || decoder->n_events > SG_TRACE_BLOCK_EVENTS ||
        n_lanes > decoder->n_events || base_ns > INT64_MAX)
        return SG_BLOCK_DAMAGED;
    decoder->base_ns = (int64_t)base_ns;
    free(decoder->lanes);
    decoder->n_lanes = n_lanes;
    decoder->lanes = calloc(n_lanes + 1, sizeof *decoder->lanes);
    if (!decoder->lanes)
        return SG_BLOCK_NO_MEMORY;
    for (struct lane *lane = decoder->lanes; lane < decoder->lanes + n_lanes; lane++) {
        if (!read_varint(in, &lane->n_events) || !read_varint(in, &lane->n_symbols) ||
            !read_varint(in, &lane->is_timed) || lane->is_timed > 1 ||
            lane->n_events > decoder->n_events - n_events || lane->n_symbols > lane->n_events)
            return SG_BLOCK_DAMAGED;
        for (int i = 0; i < SG_TRACE_N_COLUMNS; i++)
            if (!read_varint(in, &lane->sizes[i]))
                return SG_BLOCK_DAMAGED;
        lane->symbols = decoder->symbols + n_symbols;
        n_symbols += lane->n_symbols; /* at most one symbol for each event */
        n_events += lane->n_events;
    }
    return n_events == decoder->n_events ? SG_BLOCK_DECODED : SG_BLOCK_DAMAGED;
}

static bool read_symbols(struct lane *lane, struct input *in) {
    uint64_t stack = 0, type = 0, step;
    for (uint64_t i = 0; i < lane->n_symbols; i++) {
        if (in->end - in->at < 2)
            return false;
        struct sg_trace_symbol event = {.kind = in->at[0], .domain = in->at[1]};
        in->at += 2;
        if (event.kind < SG_TRACE_FIRST_KIND || event.kind >= SG_TRACE_END_OF_KINDS ||
            event.domain >= SG_TRACE_N_DOMAINS || !read_varint(in, &step))
            return false;
        stack += sg_varint_unzigzag(step);
        if (!read_varint(in, &step))
            return false;
        type += sg_varint_unzigzag(step);
        if (stack > UINT32_MAX || type > UINT32_MAX)
            return false;
        event.stack = (uint32_t)stack;
        event.type = (uint32_t)type;
        lane->symbols[i] = (struct symbol){.event = event};
    }
    return true;
}

static bool find_columns(struct lane *lane, struct input *in) {
    for (int i = 0; i < SG_TRACE_N_COLUMNS; i++) {
        if (lane->sizes[i] > (uint64_t)(in->end - in->at))
            return false;
        lane->columns[i] = (struct input){in->at, in->at + lane->sizes[i]};
        in->at += lane->sizes[i];
    }
    return true;
}

/* Read an entry of a column of pairs: `change` applies after `left` more events; UINT64_MAX =
 * never. */
static bool read_change(struct input *in, uint64_t *left, uint64_t *change) {
    *left = UINT64_MAX;
    return in->at == in->end || (read_varint(in, left) && read_varint(in, change));
}

static bool read_times(const struct sg_block_decoder *decoder, struct lane *lane,
                       struct sg_trace_event *events) {
    struct input *in = &lane->columns[SG_COLUMN_TIMES];
    unsigned bits = lane->is_timed ? SG_TRACE_TICK_BITS : 0;
    uint64_t time = (uint64_t)decoder->base_ns >> bits, most = (uint64_t)INT64_MAX >> bits;
    uint64_t step = 0, left = 0;
    if (!lane->is_timed && !read_change(in, &left, &step))
        return false;
    for (uint64_t i = 0; i < lane->n_events; i++, left--) {
        if (lane->is_timed && !read_varint(in, &step))
            return false;
        if (lane->is_timed || !left) {
            if (step > most - time)
                return false;
            time += step;
            if (!lane->is_timed && (!read_change(in, &left, &step) || !left))
                return false;
        }
        int64_t time_ns = (int64_t)(time << bits);
        events[i].time_ns = time_ns < decoder->base_ns ? decoder->base_ns : time_ns;
    }
    return true;
}

static bool read_threads(struct lane *lane, struct sg_trace_event *events) {
    struct input *in = &lane->columns[SG_COLUMN_THREADS];
    uint64_t tid = 0, step = 0, left;
    if (!read_change(in, &left, &step))
        return false;
    for (uint64_t i = 0; i < lane->n_events; i++, left--) {
        if (!left) {
            tid += sg_varint_unzigzag(step);
            if (tid > UINT32_MAX || !read_change(in, &left, &step) || !left)
                return false;
        }
        events[i].tid = (uint32_t)tid;
    }
    return true;
}

static bool read_event(struct sg_block_decoder *decoder, struct symbol *symbol, struct input *sizes,
                       struct sg_address_input *addresses, struct sg_trace_event *event) {
    unsigned shape = sg_trace_events_shape(symbol->event.kind);
    bool is_given = shape & SG_TRACE_GIVES_BLOCK;
    event->kind = symbol->event.kind;
    event->domain = symbol->event.domain;
    event->stack = symbol->event.stack;
    event->type = symbol->event.type;
    event->size = event->address = event->other = 0;
    if (shape & SG_TRACE_HAS_SIZE && !read_varint(sizes, &event->size))
        return false;
    if (shape & SG_TRACE_HAS_OTHER &&
        !sg_address_decoder_get(&decoder->addresses, addresses, &symbol->other, is_given,
                                &event->other))
        return false;
    if (shape & SG_TRACE_TAKES_BLOCK)
        return sg_address_decoder_take(&decoder->addresses, addresses, event->size, event->domain,
                                       &event->address);
    return !(shape & SG_TRACE_HAS_ADDRESS) ||
           sg_address_decoder_get(&decoder->addresses, addresses, &symbol->address, is_given,
                                  &event->address);
}

static bool read_events(struct sg_block_decoder *decoder, struct lane *lane,
                        struct sg_trace_event *events) {
    struct input *names = &lane->columns[SG_COLUMN_SYMBOLS];
    struct input *columns = lane->columns;
    struct sg_address_input addresses = {
        columns[SG_COLUMN_PLACES].at,  columns[SG_COLUMN_PLACES].end,
        columns[SG_COLUMN_OFFSETS].at, columns[SG_COLUMN_OFFSETS].end,
        columns[SG_COLUMN_PAGES].at,   columns[SG_COLUMN_PAGES].end,
    };
    uint64_t n_met = 0, age;
    sg_address_coder_reset(&decoder->addresses);
    for (uint64_t i = 0; i < lane->n_events; i++) {
        if (!read_varint(names, &age) || age > n_met || (!age && n_met == lane->n_symbols))
            return false;
        n_met += !age;
        if (!read_event(decoder, &lane->symbols[n_met - (age ? age : 1)], &columns[SG_COLUMN_SIZES],
                        &addresses, &events[i]))
            return false;
    }
    return read_times(decoder, lane, events) && read_threads(lane, events);
}

/* Return the lane with the earliest next event; of equal times the first lane. NULL = all are
 * read. */
static struct lane *find_first(struct sg_block_decoder *decoder) {
    struct lane *first = NULL;
    for (struct lane *lane = decoder->lanes; lane < decoder->lanes + decoder->n_lanes; lane++)
        if (lane->next < lane->end && (!first || lane->next->time_ns < first->next->time_ns))
            first = lane;
    return first;
}

static const struct sg_trace_event *merge(struct sg_block_decoder *decoder) {
    struct sg_trace_event *to = decoder->merged;
    if (decoder->n_lanes < 2)
        return decoder->events;
    for (struct lane *lane; (lane = find_first(decoder));) {
        int64_t time_ns = lane->next->time_ns;
        while (lane->next < lane->end && lane->next->time_ns == time_ns)
            *to++ = *lane->next++;
    }
    return decoder->merged;
}

static enum sg_block_decoder_result decode(struct sg_block_decoder *decoder, struct input in) {
    enum sg_block_decoder_result result = read_heads(decoder, &in);
    struct sg_trace_event *events = decoder->events;
    if (result != SG_BLOCK_DECODED)
        return result;
    for (size_t i = 0; i < decoder->n_lanes; i++)
        if (!read_symbols(&decoder->lanes[i], &in))
            return SG_BLOCK_DAMAGED;
    for (size_t i = 0; i < decoder->n_lanes; i++)
        if (!find_columns(&decoder->lanes[i], &in))
            return SG_BLOCK_DAMAGED;
    for (size_t i = 0; i < decoder->n_lanes; i++) {
        struct lane *lane = &decoder->lanes[i];
        if (!read_events(decoder, lane, events))
            return SG_BLOCK_DAMAGED;
        lane->next = events;
        lane->end = events += lane->n_events;
    }
    return SG_BLOCK_DECODED;
}

enum sg_block_decoder_result sg_block_decoder_read(struct sg_block_decoder *decoder,
                                                   const uint8_t *payload, size_t size,
                                                   unsigned packing, size_t raw_size,
                                                   const struct sg_trace_event **events,
                                                   uint32_t *n_events) {
    if (packing > SG_BLOCK_LZ4 || raw_size > MOST_RAW_BYTES)
        return SG_BLOCK_DAMAGED;
    if (packing == SG_BLOCK_LZ4) {
        uint8_t *raw = realloc(decoder->raw, raw_size + 1);
        if (!raw)
            return SG_BLOCK_NO_MEMORY;
        decoder->raw = raw;
        if (!sg_lz4_unpack(payload, size, raw, raw_size))
            return SG_BLOCK_DAMAGED;
        payload = raw;
        size = raw_size;
    }
    enum sg_block_decoder_result result = decode(decoder, (struct input){payload, payload + size});
    *events = result == SG_BLOCK_DECODED ? merge(decoder) : NULL;
    *n_events = result == SG_BLOCK_DECODED ? (uint32_t)decoder->n_events : 0;
    return result;
}
