/* Reader: rows to events, lanes to blocks. */
#include "trace/reader.h"

#include <string.h>

#include "platform/memory.h"
#include "platform/vector.h"
#include "trace/lanes.h"
#include "trace/recorder.h"
#include "trace/snapshot.h"

enum {
    ALL_KEPT = UINT16_MAX,
    MOST_CUTS = 24,       /* how often a moment is halved until the events fit */
    MOST_COMPARED = 4096, /* rows of other lanes, for one reallocation */
};

/* A reallocation of which only the begin was read. */
struct pending {
    uint64_t address; /* 0 = none */
    int64_t time_ns;
    uint32_t tid;
    uint8_t domain;
    bool is_freed; /* the free was an event already */
};

/* What the rows of a lane refer to. */
struct lane_state {
    struct sg_trace_place place;
    int64_t time_ns;
    uint32_t tid;
    uint32_t stack; /* of the last event that had one */
    uint32_t n_nodes;
    uint32_t *nodes; /* (n_nodes,): of that stack, root first */
    struct pending pending;
    struct sg_trace_place end; /* where this block ends in the lane */
};

/* A row, in words that the lane has published. */
struct row {
    uint64_t head;
    enum sg_row_kind kind;
    uint32_t n_words;
    int64_t time_ns; /* of a row that has one; -1 = it has the lane's */
    uint8_t domain;
    uint64_t number;       /* size, type, or the word of a mark */
    const uint64_t *stack; /* NULL = that of the last row */
};

struct sg_stack_tree sg_trace_stacks;
static struct lane_state *lanes; /* (SG_N_LANES,) */
static uint32_t *nodes;          /* of all lanes */
static uint32_t nodes_each;
static struct sg_trace_columns columns;
static struct sg_fresh fresh[2];
static int fresh_in_use;
static struct sg_reader_counts counts;
static struct sg_vector new_threads;
static bool is_alone;    /* only the first lane has been used */
static int64_t floor_ns; /* the last time of the block before: no later event is earlier */

static size_t nodes_bytes(void) { return (size_t)SG_N_LANES * nodes_each * sizeof *nodes; }

int sg_trace_reader_prepare(uint32_t depth) {
    nodes_each = depth + 2;
    lanes = sg_memory_map(SG_N_LANES * sizeof *lanes);
    nodes = sg_memory_map(nodes_bytes());
    memset(&counts, 0, sizeof counts);
    fresh_in_use = 0;
    floor_ns = 0;
    if (!lanes || !nodes || sg_stack_tree_prepare(&sg_trace_stacks) ||
        sg_trace_columns_prepare(&columns) || sg_trace_fresh_prepare(&fresh[0]) ||
        sg_trace_fresh_prepare(&fresh[1])) {
        sg_trace_reader_discard();
        return -1;
    }
    for (uint32_t i = 0; i < SG_N_LANES; i++)
        lanes[i].nodes = nodes + (size_t)i * nodes_each;
    return 0;
}

void sg_trace_reader_discard(void) {
    sg_memory_unmap(lanes, SG_N_LANES * sizeof *lanes);
    sg_memory_unmap(nodes, nodes_bytes());
    lanes = NULL;
    nodes = NULL;
    sg_stack_tree_discard(&sg_trace_stacks);
    sg_trace_columns_discard(&columns);
    sg_trace_fresh_discard(&fresh[0]);
    sg_trace_fresh_discard(&fresh[1]);
    sg_vector_free(&new_threads);
}

/* ---- Rows ---- */

static uint32_t stack_words(const uint64_t *stack) {
    return 1 + (uint32_t)(*stack >> SG_ROW_NEW_FRAMES_SHIFT & UINT16_MAX);
}

static void read_number(struct row *row, const uint64_t *words) {
    row->number = sg_row_payload(row->head);
    if (row->number == SG_ROW_LONG)
        row->number = words[row->n_words++];
}

static void read_moment(struct row *row, const uint64_t *words) {
    uint64_t moment = words[row->n_words++];
    row->time_ns = (int64_t)(moment >> SG_ROW_DOMAIN_BITS);
    row->domain = (uint8_t)moment;
}

static void read_stack(struct row *row, const uint64_t *words) {
    row->stack = words + row->n_words;
    row->n_words += stack_words(row->stack);
}

static void read_mark(struct row *row, const uint64_t *words) {
    read_moment(row, words);
    switch (sg_row_payload(row->head)) {
    case SG_MARK_TIME:
        break;
    case SG_MARK_SPAN_ALLOC:
        row->number = words[row->n_words++];
        read_stack(row, words);
        break;
    default:
        row->number = words[row->n_words++];
    }
}

static struct row read_row(const uint64_t *words) {
    struct row row = {.head = *words, .kind = sg_row_kind(*words), .n_words = 1, .time_ns = -1};
    switch (row.kind) {
    case SG_ROW_ALLOC_MEM:
    case SG_ROW_ALLOC_OBJ:
        row.domain = row.kind == SG_ROW_ALLOC_OBJ;
        read_number(&row, words);
        break;
    case SG_ROW_CALL_MEM:
    case SG_ROW_CALL_OBJ:
        row.domain = row.kind == SG_ROW_CALL_OBJ;
        read_number(&row, words);
        read_stack(&row, words);
        break;
    case SG_ROW_FREE_MEM:
    case SG_ROW_COLLECTED_MEM:
        read_number(&row, words);
        break;
    case SG_ROW_FREE_OBJ:
    case SG_ROW_COLLECTED_OBJ:
        row.domain = SG_TRACE_OBJ;
        read_number(&row, words);
        break;
    case SG_ROW_REALLOC:
        row.domain = (uint8_t)sg_row_payload(row.head);
        break;
    case SG_ROW_REALLOCED_MEM:
    case SG_ROW_REALLOCED_OBJ:
        row.domain = row.kind == SG_ROW_REALLOCED_OBJ;
        read_number(&row, words);
        read_stack(&row, words);
        break;
    case SG_ROW_TIMED_ALLOC:
    case SG_ROW_TIMED_REALLOCED:
        read_moment(&row, words);
        read_number(&row, words);
        read_stack(&row, words);
        break;
    case SG_ROW_TIMED_FREE:
        read_moment(&row, words);
        break;
    case SG_ROW_MARK:
        read_mark(&row, words);
        break;
    }
    return row;
}

/* Does a row become an event? (A reallocation's begin does not, as a rule.) */
static bool is_event(const struct row *row) {
    uint32_t payload = sg_row_payload(row->head);
    if (row->kind == SG_ROW_MARK)
        return payload != SG_MARK_TIME && payload != SG_MARK_THREAD;
    return row->kind != SG_ROW_REALLOC && !(row->kind == SG_ROW_TIMED_FREE && payload);
}

/* ---- Stacks ---- */

/* The stack of a row: frames of the last one from the root, and new ones. */
static void enter_stack(struct lane_state *lane, const uint64_t *words) {
    uint32_t n_kept = *words & UINT16_MAX;
    uint32_t n_new = stack_words(words) - 1;
    if (n_kept == ALL_KEPT)
        return;
    uint32_t n = n_kept < lane->n_nodes ? n_kept : lane->n_nodes;
    uint32_t stack = n ? lane->nodes[n - 1] : SG_NO_STACK;
    for (uint32_t i = 1; i <= n_new; i++) {
        stack = sg_stack_tree_call(&sg_trace_stacks, stack, sg_row_to_frame(words[i]));
        if (n < nodes_each)
            lane->nodes[n++] = stack;
    }
    lane->n_nodes = n;
    lane->stack = stack;
}

static uint32_t stack_of(const struct lane_state *lane) {
    if (lane->stack != SG_STACK_LOST)
        return lane->stack;
    counts.n_stacks_lost++;
    return SG_NO_STACK;
}

/* ---- Events ---- */

static void add(const struct sg_trace_event *event) {
    struct sg_fresh *objects = &fresh[fresh_in_use];
    switch (event->kind) {
    case SG_TRACE_OBJECT_ALLOC:
        if (event->domain == SG_TRACE_OBJ)
            sg_trace_fresh_add(objects, event->address);
        break;
    case SG_TRACE_OBJECT_REALLOC:
        sg_trace_fresh_remove(objects, event->other);
        if (event->domain == SG_TRACE_OBJ)
            sg_trace_fresh_add(objects, event->address);
        break;
    case SG_TRACE_OBJECT_FREE:
    case SG_TRACE_OBJECT_FREE_BY_COLLECTOR:
        sg_trace_fresh_remove(objects, event->address);
        break;
    case SG_TRACE_LOST:
        counts.n_lost += event->size;
        break;
    default:
        break;
    }
    counts.n_events++;
    sg_trace_columns_add(&columns, event);
}

static struct sg_trace_event event_of(const struct lane_state *lane, enum sg_trace_kind kind,
                                      uint8_t domain, uint64_t address) {
    return (struct sg_trace_event){
        .kind = (uint8_t)kind,
        .domain = domain,
        .address = address,
        .time_ns = lane->time_ns,
        .tid = lane->tid,
    };
}

/* The free of a reallocation that cannot be one event. */
static void free_pending(struct lane_state *lane) {
    struct pending *pending = &lane->pending;
    struct sg_trace_event event =
        event_of(lane, SG_TRACE_OBJECT_FREE, pending->domain, pending->address);
    add(&event);
    pending->is_freed = true;
}

/* May another lane have taken the address of a block before its reallocation ended? Lanes are read
 * in their order, so only the first one can look at what the others have. */
static bool is_taken(uint32_t number, uint64_t address, int64_t until_ns) {
    uint32_t n_compared = 0;
    for (uint32_t i = 1; !is_alone && !number && i < SG_N_LANES; i++) {
        struct sg_trace_lane *other = &sg_trace_lanes[i];
        struct sg_trace_place place = lanes[i].place;
        uint32_t n;
        for (const uint64_t *words; (words = sg_trace_lanes_peek(other, &place, true, &n));) {
            struct row row = read_row(words);
            if (row.time_ns > until_ns)
                break;
            if (n_compared++ == MOST_COMPARED || sg_row_address(row.head) == address)
                return true;
            place.n_words += row.n_words;
        }
    }
    return !is_alone && number;
}

/* The end of a reallocation. */
static void settle(struct lane_state *lane, uint32_t number, const struct row *row) {
    struct pending pending = lane->pending;
    uint64_t address = sg_row_address(row->head);
    bool is_moved = address && address != pending.address;
    if (pending.address && !pending.is_freed && is_moved &&
        is_taken(number, pending.address, lane->time_ns)) {
        free_pending(lane);
        pending.is_freed = true;
    }
    lane->pending.address = 0;
    struct sg_trace_event event = event_of(lane, SG_TRACE_OBJECT_ALLOC, row->domain, address);
    event.size = row->number;
    event.stack = stack_of(lane);
    if (!address) { /* it failed: the block is as it was */
        event.address = pending.address;
        event.size = 0;
        if (!pending.address || !pending.is_freed)
            return;
    } else if (pending.address && !pending.is_freed) {
        event.kind = SG_TRACE_OBJECT_REALLOC;
        event.other = pending.address;
    }
    add(&event);
}

static void add_mark(struct lane_state *lane, const struct row *row) {
    static const uint8_t KINDS[] = {
        [SG_MARK_LOST] = SG_TRACE_LOST,
        [SG_MARK_COLLECTION_BEGIN] = SG_TRACE_COLLECTION_BEGIN,
        [SG_MARK_COLLECTION_END] = SG_TRACE_COLLECTION_END,
        [SG_MARK_REGION_BEGIN] = SG_TRACE_REGION_BEGIN,
        [SG_MARK_REGION_END] = SG_TRACE_REGION_END,
        [SG_MARK_TYPE] = SG_TRACE_OBJECT_TYPE,
        [SG_MARK_RECYCLED] = SG_TRACE_OBJECT_RECYCLED,
        [SG_MARK_SPAN_ALLOC] = SG_TRACE_SPAN_ALLOC,
        [SG_MARK_SPAN_FREE] = SG_TRACE_SPAN_FREE,
    };
    enum sg_row_mark mark = (enum sg_row_mark)sg_row_payload(row->head);
    uint64_t address = sg_row_address(row->head);
    struct sg_trace_event event =
        event_of(lane, (enum sg_trace_kind)KINDS[mark], row->domain, address);
    switch (mark) {
    case SG_MARK_COLLECTION_BEGIN:
    case SG_MARK_COLLECTION_END:
        event.size = address;
        event.address = 0;
        break;
    case SG_MARK_REGION_BEGIN:
    case SG_MARK_REGION_END:
        event.type = (uint32_t)address;
        event.address = 0;
        break;
    case SG_MARK_TYPE:
    case SG_MARK_RECYCLED:
        event.type = (uint32_t)row->number;
        break;
    case SG_MARK_SPAN_ALLOC:
        event.stack = stack_of(lane);
        event.size = row->number;
        break;
    default:
        event.size = row->number;
    }
    add(&event);
}

static void add_row(struct lane_state *lane, uint32_t number, const struct row *row) {
    uint64_t address = sg_row_address(row->head);
    struct sg_trace_event event;
    switch (row->kind) {
    case SG_ROW_ALLOC_MEM:
    case SG_ROW_ALLOC_OBJ:
    case SG_ROW_CALL_MEM:
    case SG_ROW_CALL_OBJ:
    case SG_ROW_TIMED_ALLOC:
        event = event_of(lane, SG_TRACE_OBJECT_ALLOC, row->domain, address);
        event.size = row->number;
        event.stack = stack_of(lane);
        add(&event);
        break;
    case SG_ROW_FREE_MEM:
    case SG_ROW_FREE_OBJ:
    case SG_ROW_COLLECTED_MEM:
    case SG_ROW_COLLECTED_OBJ:
        event = event_of(lane,
                         row->kind >= SG_ROW_COLLECTED_MEM ? SG_TRACE_OBJECT_FREE_BY_COLLECTOR
                                                           : SG_TRACE_OBJECT_FREE,
                         row->domain, address);
        event.type = (uint32_t)row->number;
        add(&event);
        break;
    case SG_ROW_TIMED_FREE:
        event = event_of(lane, SG_TRACE_OBJECT_FREE, row->domain, address);
        add(&event);
        break;
    case SG_ROW_REALLOCED_MEM:
    case SG_ROW_REALLOCED_OBJ:
    case SG_ROW_TIMED_REALLOCED:
        settle(lane, number, row);
        break;
    case SG_ROW_MARK:
        add_mark(lane, row);
        break;
    default:
        break;
    }
}

/* Rows that are no events change what later ones refer to. */
static void enter_row(struct lane_state *lane, uint32_t number, const struct row *row) {
    uint32_t payload = sg_row_payload(row->head);
    if (row->time_ns > lane->time_ns)
        lane->time_ns = row->time_ns;
    if (row->stack)
        enter_stack(lane, row->stack);
    bool begins = row->kind == SG_ROW_REALLOC || (row->kind == SG_ROW_TIMED_FREE && payload);
    bool is_mark = row->kind == SG_ROW_MARK && payload != SG_MARK_LOST;
    bool settles = row->kind >= SG_ROW_REALLOCED_MEM && row->kind <= SG_ROW_REALLOCED_OBJ;
    settles |= row->kind == SG_ROW_TIMED_REALLOCED;
    if (lane->pending.address && !is_mark && !settles) { /* its end was lost */
        if (!lane->pending.is_freed)
            free_pending(lane);
        lane->pending.address = 0;
    }
    if (begins)
        lane->pending = (struct pending){
            .address = sg_row_address(row->head),
            .time_ns = lane->time_ns,
            .tid = lane->tid,
            .domain = row->domain,
        };
    if (row->kind == SG_ROW_MARK && payload == SG_MARK_THREAD) {
        lane->tid = (uint32_t)sg_row_address(row->head);
        sg_vector_add(&new_threads, lane->tid); /* without memory it has no name */
        lane->n_nodes = 0;
        lane->stack = SG_NO_STACK;
    }
    if (is_event(row))
        add_row(lane, number, row);
}

/* ---- Lanes ---- */

/* How many events a lane has up to a moment, at most `most`; they end at its `end`. */
static uint32_t count_events(uint32_t number, int64_t until_ns, uint32_t most) {
    struct sg_trace_place *place = &lanes[number].end;
    int64_t time_ns = lanes[number].time_ns;
    uint32_t n, n_events = 0;
    *place = lanes[number].place;
    for (const uint64_t *words; n_events < most && (words = sg_trace_lanes_peek(
                                                        &sg_trace_lanes[number], place, true, &n));)
        for (uint32_t at = 0; at < n && n_events < most;) {
            struct row row = read_row(words + at);
            time_ns = row.time_ns > time_ns ? row.time_ns : time_ns;
            if (time_ns > until_ns)
                return n_events;
            n_events += is_event(&row);
            at += row.n_words;
            place->n_words += row.n_words;
        }
    return n_events;
}

/* Add the events of a lane up to its `end`; of the only lane as many as there is room for. False:
 * there was no room for all. */
static bool read_lane(uint32_t number) {
    struct lane_state *lane = &lanes[number];
    uint32_t n;
    if (!is_alone && !lane->end.buffer)
        return true; /* it began after the ends were set */
    for (const uint64_t *words;
         (words = sg_trace_lanes_peek(&sg_trace_lanes[number], &lane->place, false, &n));) {
        if (!is_alone && lane->place.buffer == lane->end.buffer)
            n = lane->end.n_words - lane->place.n_words;
        if (!n)
            return true;
        for (uint32_t at = 0; at < n;) {
            struct row row = read_row(words + at);
            if (is_alone && columns.n_events + 2 > SG_TRACE_BLOCK_EVENTS)
                return false;
            enter_row(lane, number, &row);
            at += row.n_words;
            lane->place.n_words += row.n_words;
        }
    }
    return true;
}

static bool is_lane_in_use(uint32_t number) {
    return lanes[number].place.buffer || atomic_load(&sg_trace_lanes[number].first);
}

/* Set the ends of all lanes to the last moment up to which their events fit into a block. */
static bool set_ends(int64_t until_ns) {
    const uint32_t most = SG_TRACE_BLOCK_EVENTS - 2 * SG_N_LANES;
    for (int cut = 0;; cut++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < SG_N_LANES; i++)
            if (is_lane_in_use(i))
                n += count_events(i, until_ns, most > n ? most - n : 1);
        if (n < most || cut == MOST_CUTS)
            return cut == 0;
        until_ns = floor_ns + (until_ns - floor_ns) / 2;
    }
}

/* The earliest time that an event may have. */
static int64_t find_base(void) {
    int64_t base_ns = INT64_MAX;
    for (uint32_t i = 0; i < SG_N_LANES; i++) {
        if (!is_lane_in_use(i))
            continue;
        if (lanes[i].time_ns < floor_ns)
            lanes[i].time_ns = floor_ns;
        base_ns = lanes[i].time_ns < base_ns ? lanes[i].time_ns : base_ns;
    }
    return base_ns == INT64_MAX ? floor_ns : base_ns;
}

bool sg_trace_reader_fill(struct sg_trace_block *block) {
    int64_t now_ns = sg_trace_recorder_now_ns(); /* before any lane is looked at */
    bool is_all;
    is_alone = true;
    for (uint32_t i = 1; i < SG_N_LANES; i++)
        is_alone &= !is_lane_in_use(i);
    sg_trace_block_begin(block, find_base());
    is_all = is_alone || set_ends(now_ns);
    for (uint32_t i = 0; i < SG_N_LANES; i++) {
        if (!is_lane_in_use(i))
            continue;
        sg_trace_columns_begin(&columns, block->base_ns, i >= SG_N_GIL_LANES);
        is_all &= read_lane(i);
        /* The end of a reallocation that is under way when others are read comes too late. */
        if (!is_alone && lanes[i].pending.address && !lanes[i].pending.is_freed)
            free_pending(&lanes[i]);
        sg_trace_block_add(block, &columns);
    }
    floor_ns = block->last_ns;
    return is_all;
}

bool sg_trace_reader_fill_snapshot(struct sg_trace_block *block, int64_t time_ns) {
    struct sg_trace_event event;
    sg_trace_block_begin(block, time_ns);
    sg_trace_columns_begin(&columns, time_ns, false);
    while (columns.n_events < SG_TRACE_BLOCK_EVENTS && sg_trace_snapshot_next(&event)) {
        event.time_ns = time_ns;
        sg_trace_columns_add(&columns, &event);
    }
    counts.n_events += columns.n_events;
    sg_trace_block_add(block, &columns);
    return block->n_events > 0;
}

void sg_trace_reader_list_threads(void (*see)(void *context, uint32_t tid), void *context) {
    for (size_t i = 0; i < new_threads.n; i++)
        see(context, new_threads.values[i]);
    new_threads.n = 0;
}

struct sg_fresh *sg_trace_reader_take_fresh(void) {
    struct sg_fresh *taken = &fresh[fresh_in_use];
    fresh_in_use = !fresh_in_use;
    sg_trace_fresh_clear(&fresh[fresh_in_use]);
    return taken;
}

uint64_t sg_trace_reader_waiting_words(void) {
    return (uint64_t)sg_trace_lanes_used_buffers() * SG_BUFFER_WORDS;
}

struct sg_reader_counts sg_trace_reader_counts(void) {
    return counts;
}
