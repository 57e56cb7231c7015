/* A block holds the events of several lanes. First the head and the symbols of each lane are read,
 * then its columns, and at last the lanes are merged by time. A symbol is what events repeat: kind,
 * domain, stack and type. */
#include "event_block.h"

#include <stdlib.h>
#include <string.h>

#include "event_addresses.h"
#include "event_addresses_1.h"
#include "lz4_unpack.h"
#include "wire_reader.h"

enum { FIRST_LAYOUT = 1, LAYOUT = 2, N_COLUMNS = 7, TICK_BITS = 4, N_DOMAINS = 5 };
enum { SYMBOLS, SIZES, PLACES, OFFSETS, PAGES, TIMES, THREADS };

/* What events of a kind have (SG_EV_* in memory_replay.h); 0 = there is no such kind. TAKES: the
 * address is allocated; GIVES: it is freed. */
enum { IS_KIND = 1, HAS_SIZE = 2, HAS_ADDRESS = 4, HAS_OTHER = 8, TAKES = 16, GIVES = 32 };
enum { FIRST_KIND = 128, END_OF_KINDS = 169 };
static const uint8_t SHAPES[END_OF_KINDS - FIRST_KIND] = {
    [128 - FIRST_KIND] = IS_KIND | HAS_SIZE | HAS_ADDRESS, /* spans */
    [129 - FIRST_KIND] = IS_KIND | HAS_SIZE | HAS_ADDRESS,
    [130 - FIRST_KIND] = IS_KIND | HAS_SIZE | HAS_ADDRESS,
    [131 - FIRST_KIND] = IS_KIND | HAS_SIZE | HAS_ADDRESS | TAKES, /* objects */
    [132 - FIRST_KIND] = IS_KIND | HAS_SIZE | HAS_ADDRESS | TAKES,
    [133 - FIRST_KIND] = IS_KIND | HAS_ADDRESS | GIVES,
    [134 - FIRST_KIND] = IS_KIND | HAS_SIZE | HAS_ADDRESS, /* stacks */
    [135 - FIRST_KIND] = IS_KIND | HAS_SIZE | HAS_ADDRESS,
    [136 - FIRST_KIND] = IS_KIND | HAS_SIZE | HAS_ADDRESS,
    [160 - FIRST_KIND] = IS_KIND | HAS_ADDRESS | GIVES, /* free by the collector; realloc */
    [161 - FIRST_KIND] = IS_KIND | HAS_SIZE | HAS_ADDRESS | HAS_OTHER | TAKES | GIVES,
    [162 - FIRST_KIND] = IS_KIND | HAS_ADDRESS, /* types */
    [163 - FIRST_KIND] = IS_KIND | HAS_ADDRESS,
    [164 - FIRST_KIND] = IS_KIND | HAS_SIZE, /* collections */
    [165 - FIRST_KIND] = IS_KIND | HAS_SIZE,
    [166 - FIRST_KIND] = IS_KIND | HAS_SIZE, /* regions */
    [167 - FIRST_KIND] = IS_KIND | HAS_SIZE,
    [168 - FIRST_KIND] = IS_KIND | HAS_SIZE, /* losses */
};

static const char CUT_OFF[] = "an event block ends inside its events";
static const char TOO_NEW[] = "an event block has an unknown layout, perhaps a later version's";
static const char MALFORMED[] = "an event block is damaged";

struct symbol {
    uint32_t stack, type;
    uint8_t kind, domain, shape;
    struct sg_stride stride, other;
};

struct lane {
    uint64_t n_events, n_symbols;
    int is_timed;
    uint64_t sizes[N_COLUMNS];
    size_t first_symbol;
    struct sg_reader columns[N_COLUMNS];
};

/* Memory of the columns, into which the events are written. */
struct rows {
#define DECLARE(name, type, kind) type *name;
    SG_BLOCK_COLUMNS(DECLARE)
#undef DECLARE
};

struct block {
    uint64_t layout, n_events, n_lanes;
    int64_t base_ns;
    struct lane *lanes;     /* (n_lanes,); owned */
    struct symbol *symbols; /* of all lanes; owned */
    uint64_t n_symbols;
    union {
        struct sg_addresses now;
        struct sg_addresses_1 first;
    } addresses; /* by layout */
};

static uint64_t unzigzag(uint64_t value) { return value >> 1 ^ -(value & 1); }

static int read_heads(struct block *block, struct sg_reader *in) {
    uint64_t base_ns, n_events = 0;
    if (sg_read_varint(in, &block->n_events) < 0 || sg_read_varint(in, &block->n_lanes) < 0 ||
        sg_read_varint(in, &base_ns) < 0 || block->n_events > SG_BLOCK_MOST_EVENTS ||
        block->n_lanes > block->n_events || base_ns > INT64_MAX)
        return -1;
    block->base_ns = (int64_t)base_ns;
    block->lanes = calloc(block->n_lanes + 1, sizeof *block->lanes);
    if (!block->lanes)
        return -2;
    for (uint64_t i = 0; i < block->n_lanes; i++) {
        struct lane *lane = &block->lanes[i];
        uint64_t is_timed;
        if (sg_read_varint(in, &lane->n_events) < 0 || sg_read_varint(in, &lane->n_symbols) < 0 ||
            sg_read_varint(in, &is_timed) < 0 || is_timed > 1 ||
            lane->n_events > block->n_events - n_events || lane->n_symbols > lane->n_events)
            return -1;
        for (int column = 0; column < N_COLUMNS; column++)
            if (sg_read_varint(in, &lane->sizes[column]) < 0)
                return -1;
        lane->is_timed = (int)is_timed;
        lane->first_symbol = block->n_symbols;
        block->n_symbols += lane->n_symbols;
        n_events += lane->n_events;
    }
    return n_events == block->n_events ? 0 : -1;
}

static int read_symbols(struct block *block, struct sg_reader *in) {
    block->symbols = calloc(block->n_symbols + 1, sizeof *block->symbols);
    if (!block->symbols)
        return -2;
    for (uint64_t i = 0; i < block->n_lanes; i++) {
        uint64_t stack = 0, type = 0, step;
        for (uint64_t j = 0; j < block->lanes[i].n_symbols; j++) {
            struct symbol *symbol = &block->symbols[block->lanes[i].first_symbol + j];
            if (in->end - in->at < 2)
                return -1;
            unsigned kind = in->at[0], domain = in->at[1];
            in->at += 2;
            if (kind < FIRST_KIND || kind >= END_OF_KINDS || !SHAPES[kind - FIRST_KIND] ||
                domain >= N_DOMAINS || sg_read_varint(in, &step) < 0)
                return -1;
            stack += unzigzag(step);
            if (sg_read_varint(in, &step) < 0)
                return -1;
            type += unzigzag(step);
            if (stack > UINT32_MAX || type > UINT32_MAX)
                return -1;
            symbol->kind = (uint8_t)kind;
            symbol->domain = (uint8_t)domain;
            symbol->shape = SHAPES[kind - FIRST_KIND];
            symbol->stack = (uint32_t)stack;
            symbol->type = (uint32_t)type;
        }
    }
    return 0;
}

static int find_columns(struct block *block, struct sg_reader *in) {
    for (uint64_t i = 0; i < block->n_lanes; i++)
        for (int column = 0; column < N_COLUMNS; column++) {
            struct sg_reader *bytes = &block->lanes[i].columns[column];
            bytes->at = in->at;
            if (sg_skip(in, block->lanes[i].sizes[column]) < 0)
                return -1;
            bytes->end = in->at;
        }
    return in->at == in->end ? 0 : -1;
}

/* Read the next pair of a column that holds changes: the value changes by `*change` after `*left`
 * more events. At the column's end, `*left` is UINT64_MAX. Returns 0, or -1 if a number is cut off.
 */
static int read_change(struct sg_reader *in, uint64_t *left, uint64_t *change) {
    if (in->at == in->end) {
        *left = UINT64_MAX;
        return 0;
    }
    return sg_read_varint(in, left) < 0 || sg_read_varint(in, change) < 0 ? -1 : 0;
}

/* Read the times and threads of a lane's events. A timed lane has a step for each event, in ticks
 * of 16 ns; other lanes have only the changes of the time, in ns. Returns 0, or -1 if it is
 * damaged. */
static int read_moments(const struct block *block, struct lane *lane, const struct rows *rows,
                        size_t first) {
    struct sg_reader *times = &lane->columns[TIMES], *threads = &lane->columns[THREADS];
    uint64_t time = (uint64_t)(lane->is_timed ? block->base_ns >> TICK_BITS : block->base_ns);
    uint64_t most = lane->is_timed ? (uint64_t)INT64_MAX >> TICK_BITS : INT64_MAX;
    uint64_t tid = 0, step = 0, turn = 0, to_step = UINT64_MAX, to_turn;
    if (read_change(threads, &to_turn, &turn) < 0 ||
        (!lane->is_timed && read_change(times, &to_step, &step) < 0))
        return -1;
    for (uint64_t i = 0; i < lane->n_events; i++) {
        if (lane->is_timed && sg_read_varint(times, &step) < 0)
            return -1;
        if (lane->is_timed || to_step == 0) {
            if (step > most - time)
                return -1;
            time += step;
            if (!lane->is_timed && (read_change(times, &to_step, &step) < 0 || to_step == 0))
                return -1;
        }
        to_step--;
        if (to_turn == 0) {
            tid += unzigzag(turn);
            if (tid > UINT32_MAX || read_change(threads, &to_turn, &turn) < 0 || to_turn == 0)
                return -1;
        }
        to_turn--;
        int64_t time_ns = (int64_t)(lane->is_timed ? time << TICK_BITS : time);
        rows->time_ns[first + i] = time_ns < block->base_ns ? block->base_ns : time_ns;
        rows->tid[first + i] = (uint32_t)tid;
    }
    return 0;
}

static void forget_addresses(struct block *block) {
    if (block->layout == LAYOUT)
        sg_forget_addresses(&block->addresses.now);
    else
        sg_forget_addresses_1(&block->addresses.first);
}

/* Read an event's addresses. Returns 0, or -1 if the columns end or are damaged. */
static int read_addresses(struct block *block, struct sg_address_bytes *in, struct symbol *symbol,
                          uint64_t size, uint64_t *address, uint64_t *other) {
    struct sg_addresses *known = &block->addresses.now;
    unsigned shape = symbol->shape;
    if (shape & HAS_OTHER && sg_read_address(known, in, &symbol->other, 1, other) < 0)
        return -1;
    if (shape & TAKES)
        return sg_read_taken(known, in, size, symbol->domain, address);
    if (shape & HAS_ADDRESS)
        return sg_read_address(known, in, &symbol->stride, shape & GIVES, address);
    return 0;
}

/* Read an event's addresses in layout 1. */
static int read_addresses_1(struct block *block, struct sg_address_bytes *in, struct symbol *symbol,
                            uint64_t size, uint64_t *address, uint64_t *other) {
    struct sg_addresses_1 *known = &block->addresses.first;
    unsigned shape = symbol->shape;
    if (shape & HAS_OTHER && sg_read_address_1(known, in, &symbol->other, 1, other) < 0)
        return -1;
    if (shape & TAKES)
        return sg_read_taken_1(known, in, size, address);
    if (shape & HAS_ADDRESS)
        return sg_read_address_1(known, in, &symbol->stride, shape & GIVES, address);
    return 0;
}

static int read_events(struct block *block, struct lane *lane, const struct rows *rows,
                       size_t first) {
    struct sg_reader names = lane->columns[SYMBOLS], sizes = lane->columns[SIZES];
    struct sg_address_bytes in = {
        lane->columns[PLACES].at,   lane->columns[PLACES].end, lane->columns[OFFSETS].at,
        lane->columns[OFFSETS].end, lane->columns[PAGES].at,   lane->columns[PAGES].end,
    };
    struct symbol *symbols = block->symbols + lane->first_symbol;
    uint64_t n_met = 0;
    forget_addresses(block);
    for (size_t row = first; row < first + lane->n_events; row++) {
        uint64_t age, size = 0, address = 0, other = 0;
        if (sg_read_varint(&names, &age) < 0 || age > n_met ||
            (age == 0 && n_met++ == lane->n_symbols))
            return -1;
        struct symbol *symbol = &symbols[n_met - (age ? age : 1)];
        unsigned shape = symbol->shape;
        if (shape & HAS_SIZE && sg_read_varint(&sizes, &size) < 0)
            return -1;
        int result = block->layout == LAYOUT
                         ? read_addresses(block, &in, symbol, size, &address, &other)
                         : read_addresses_1(block, &in, symbol, size, &address, &other);
        if (result < 0)
            return -1;
        rows->kind[row] = symbol->kind;
        rows->domain[row] = symbol->domain;
        rows->stack[row] = symbol->stack;
        rows->type[row] = symbol->type;
        rows->size[row] = size;
        rows->address[row] = address;
        rows->other[row] = other;
    }
    int is_read = names.at == names.end && sizes.at == sizes.end && in.places == in.places_end &&
                  in.offsets == in.offsets_end && in.pages == in.pages_end;
    return is_read && n_met == lane->n_symbols ? 0 : -1;
}

/* Merge two sorted runs of rows, `order[first, middle)` and `order[middle, end)`. */
static void merge_runs(const int64_t *time_ns, const uint32_t *order, uint32_t *merged,
                       size_t first, size_t middle, size_t end) {
    size_t a = first, b = middle;
    for (size_t i = first; i < end; i++) {
        int is_second = a == middle || (b < end && time_ns[order[b]] < time_ns[order[a]]);
        merged[i] = order[is_second ? b++ : a++];
    }
}

/* Sort the rows of all lanes by time, then lane, with a merge sort whose first runs are the lanes.
 * `order` and `spare` have room for all rows; returns the one that has the result. */
static uint32_t *sort_rows(const struct block *block, const int64_t *time_ns, size_t *ends,
                           uint32_t *order, uint32_t *spare) {
    size_t n_runs = block->n_lanes;
    for (size_t i = 0, end = 0; i < n_runs; i++)
        ends[i] = end += block->lanes[i].n_events;
    for (size_t i = 0; i < block->n_events; i++)
        order[i] = (uint32_t)i;
    while (n_runs > 1) {
        size_t n_merged = 0;
        for (size_t i = 0; i < n_runs; i += 2) {
            size_t first = i ? ends[i - 1] : 0, middle = ends[i];
            size_t end = i + 1 < n_runs ? ends[i + 1] : middle;
            merge_runs(time_ns, order, spare, first, middle, end);
            ends[n_merged++] = end;
        }
        n_runs = n_merged;
        uint32_t *sorted = spare;
        spare = order;
        order = sorted;
    }
    return order;
}

/* Put the rows of several lanes in order. Returns 0, or -2 if memory is short. */
static int merge_lanes(const struct block *block, const struct rows *rows) {
    size_t n = block->n_events;
    size_t *ends = malloc(block->n_lanes * sizeof *ends);
    uint32_t *order = malloc(2 * n * sizeof *order);
    uint64_t *moved = malloc(n * sizeof *moved);
    int result = -2;
    if (ends && order && moved) {
        const uint32_t *sorted = sort_rows(block, rows->time_ns, ends, order, order + n);
#define MOVE(name, type, kind)                                                                     \
    for (size_t i = 0; i < n; i++)                                                                 \
        ((type *)(void *)moved)[i] = rows->name[sorted[i]];                                        \
    memcpy(rows->name, moved, n * sizeof(type));
        SG_BLOCK_COLUMNS(MOVE)
#undef MOVE
        result = 0;
    }
    free(ends);
    free(order);
    free(moved);
    return result;
}

static int make_columns(struct sg_event_columns *columns, struct rows *rows, size_t n) {
#define MAKE(name, type, kind)                                                                     \
    if (sg_reserve(&columns->name, n + 1, sizeof(type)) < 0)                                       \
        return -2;                                                                                 \
    columns->name.n = n;                                                                           \
    rows->name = (type *)(void *)columns->name.data;
    SG_BLOCK_COLUMNS(MAKE)
#undef MAKE
    return 0;
}

static int decode(struct block *block, struct sg_reader in, struct sg_event_columns *columns,
                  const char **error) {
    struct rows rows;
    size_t first = 0;
    int result;
    *error = MALFORMED;
    if (sg_read_varint(&in, &block->layout) < 0 || block->layout < FIRST_LAYOUT)
        return -1;
    if (block->layout > LAYOUT) {
        *error = TOO_NEW;
        return -1;
    }
    if ((result = read_heads(block, &in)) < 0 || (result = read_symbols(block, &in)) < 0)
        return result;
    if (find_columns(block, &in) < 0)
        return -1;
    if ((result = make_columns(columns, &rows, block->n_events)) < 0)
        return result;
    *error = CUT_OFF;
    for (uint64_t i = 0; i < block->n_lanes; i++) {
        if (read_moments(block, &block->lanes[i], &rows, first) < 0 ||
            read_events(block, &block->lanes[i], &rows, first) < 0)
            return -1;
        first += block->lanes[i].n_events;
    }
    return block->n_lanes > 1 ? merge_lanes(block, &rows) : 0;
}

int sg_decode_event_block(const uint8_t *payload, size_t size, unsigned packing, size_t raw_size,
                          struct sg_event_columns *columns, const char **error) {
    struct block *block = calloc(1, sizeof *block);
    uint8_t *raw = NULL;
    int result = block ? 0 : -2;
    *error = packing > SG_BLOCK_LZ4 ? "an event block is packed in an unknown way"
                                    : "an event block claims more than 16 MiB";
    if (packing > SG_BLOCK_LZ4 || raw_size > SG_BLOCK_MOST_BYTES) {
        result = -1;
    } else if (result == 0 && packing == SG_BLOCK_LZ4) {
        *error = "an event block cannot be unpacked";
        raw = malloc(raw_size + 1);
        result = !raw ? -2 : sg_lz4_unpack(payload, size, raw, raw_size) ? 0 : -1;
        payload = raw;
        size = raw_size;
    }
    if (result == 0)
        result = decode(block, (struct sg_reader){payload, payload + size}, columns, error);
    if (block) {
        free(block->lanes);
        free(block->symbols);
    }
    free(block);
    free(raw);
    return result;
}

void sg_release_event_columns(struct sg_event_columns *columns) {
#define RELEASE(name, type, kind) sg_release(&columns->name);
    SG_BLOCK_COLUMNS(RELEASE)
#undef RELEASE
}
