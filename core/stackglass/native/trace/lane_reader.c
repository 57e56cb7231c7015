/* How stacks and reallocations are put together from rows.
 *
 * A row has only what differs from the row before. The lane keeps the time, the thread, and the
 * stack as a list of the stack tree's nodes, root first. A new stack keeps the first nodes and
 * replaces the others.
 *
 *     REALLOC ──▶ pending ──REALLOCED──▶ one event, a reallocation
 *                    │   it moved, and another lane may have the old address: free, allocation
 *                    │   it failed: nothing; or, if the free was an event, an allocation
 *                    ├─ block ends, several lanes: free now, allocation later
 *                    └─ a loss, or a row that is neither its end nor a mark: free; the end was lost
 *
 * Most rows need none of this: they are events with the lane's time, thread and stack
 * (add_short). */
#include "trace/lane_reader.h"

enum { ALL_KEPT = UINT16_MAX }; /* kept frames of a row whose stack is the lane's last one */

/* ---- Stacks ---- */

/* Set the lane's stack: the kept frames of the last stack, from the root, and the row's new
 * frames. */
static void enter_stack(struct sg_reading *reading, struct sg_lane_reader *lane,
                        const uint64_t *words) {
    uint32_t n_kept = *words & UINT16_MAX;
    uint32_t n_new = sg_row_reader_stack_words(words) - 1;
    if (n_kept == ALL_KEPT)
        return;
    uint32_t n = n_kept < lane->n_nodes ? n_kept : lane->n_nodes;
    uint32_t stack = n ? lane->nodes[n - 1] : SG_NO_STACK;
    for (uint32_t i = 1; i <= n_new; i++) {
        stack = sg_stack_tree_call(reading->stacks, stack, sg_row_to_frame(words[i]));
        if (n < lane->most_nodes)
            lane->nodes[n++] = stack;
    }
    lane->n_nodes = n;
    lane->stack = stack;
}

static uint32_t stack_of(struct sg_reading *reading, const struct sg_lane_reader *lane) {
    if (lane->stack != SG_STACK_LOST)
        return lane->stack;
    reading->counts.n_stacks_lost++;
    return SG_NO_STACK;
}

/* ---- Events ---- */

/* Add an event to the columns, and update the fresh objects and the counts. */
static void add(struct sg_reading *reading, const struct sg_trace_event *event) {
    struct sg_fresh_objects *objects = reading->fresh;
    switch (event->kind) {
    case SG_TRACE_OBJECT_ALLOC:
        if (event->domain == SG_TRACE_OBJ)
            sg_fresh_objects_add(objects, event->address);
        break;
    case SG_TRACE_OBJECT_REALLOC:
        sg_fresh_objects_remove(objects, event->other);
        if (event->domain == SG_TRACE_OBJ)
            sg_fresh_objects_add(objects, event->address);
        break;
    case SG_TRACE_OBJECT_FREE:
    case SG_TRACE_OBJECT_FREE_BY_COLLECTOR:
        sg_fresh_objects_remove(objects, event->address);
        break;
    case SG_TRACE_LOST:
        reading->counts.n_lost += event->size;
        break;
    default:
        break;
    }
    reading->counts.n_events++;
    sg_trace_columns_add(&reading->columns, event);
}

static struct sg_trace_event event_of(const struct sg_lane_reader *lane, enum sg_trace_kind kind,
                                      uint8_t domain, uint64_t address) {
    return (struct sg_trace_event){
        .kind = (uint8_t)kind,
        .domain = domain,
        .address = address,
        .time_ns = lane->time_ns,
        .tid = lane->tid,
    };
}

void sg_lane_reader_free_pending(struct sg_reading *reading, struct sg_lane_reader *lane) {
    struct sg_pending_realloc *pending = &lane->pending;
    struct sg_trace_event event =
        event_of(lane, SG_TRACE_OBJECT_FREE, pending->domain, pending->address);
    add(reading, &event);
    pending->is_freed = true;
}

/* Return whether another lane may have got a block's old address before the reallocation ended.
 * Lanes are read one after the other, and events of earlier lanes come first. So the answer is true
 * for all lanes except the first; for the first lane `others` says which addresses the other lanes'
 * rows have. */
static bool is_taken(const struct sg_reading *reading, uint32_t number, uint64_t address) {
    uint32_t bit = sg_lane_reader_bit(address);
    return !reading->is_alone && (number || reading->others[bit / 64] >> bit % 64 & 1);
}

/* Add the event or events of a reallocation that has ended. */
static void settle(struct sg_reading *reading, struct sg_lane_reader *lane, uint32_t number,
                   const struct sg_lane_row *row) {
    struct sg_pending_realloc pending = lane->pending;
    uint64_t address = sg_row_address(row->head);
    bool is_moved = address && address != pending.address;
    if (pending.address && !pending.is_freed && is_moved &&
        is_taken(reading, number, pending.address)) {
        sg_lane_reader_free_pending(reading, lane);
        pending.is_freed = true;
    }
    lane->pending.address = 0;
    struct sg_trace_event event = event_of(lane, SG_TRACE_OBJECT_ALLOC, row->domain, address);
    event.size = row->number;
    event.stack = stack_of(reading, lane);
    if (!address) { /* the reallocation failed and the block is unchanged */
        event.address = pending.address;
        event.size = 0;
        if (!pending.address || !pending.is_freed)
            return;
    } else if (pending.address && !pending.is_freed) {
        event.kind = SG_TRACE_OBJECT_REALLOC;
        event.other = pending.address;
    }
    add(reading, &event);
}

static void add_mark(struct sg_reading *reading, struct sg_lane_reader *lane,
                     const struct sg_lane_row *row) {
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
        event.size = row->number;
        event.address = 0;
        break;
    case SG_MARK_TYPE:
    case SG_MARK_RECYCLED:
        event.type = (uint32_t)row->number;
        break;
    case SG_MARK_SPAN_ALLOC:
        event.stack = stack_of(reading, lane);
        event.size = row->number;
        break;
    default:
        event.size = row->number;
    }
    add(reading, &event);
}

static void add_row(struct sg_reading *reading, struct sg_lane_reader *lane, uint32_t number,
                    const struct sg_lane_row *row) {
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
        event.stack = stack_of(reading, lane);
        add(reading, &event);
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
        add(reading, &event);
        break;
    case SG_ROW_TIMED_FREE:
        event = event_of(lane, SG_TRACE_OBJECT_FREE, row->domain, address);
        add(reading, &event);
        break;
    case SG_ROW_REALLOCED_MEM:
    case SG_ROW_REALLOCED_OBJ:
    case SG_ROW_TIMED_REALLOCED:
        settle(reading, lane, number, row);
        break;
    case SG_ROW_MARK:
        add_mark(reading, lane, row);
        break;
    default:
        break;
    }
}

/* Handle any row: note what later rows may omit, follow reallocations, and add the row's event, if
 * it has one. */
static void enter_row(struct sg_reading *reading, struct sg_lane_reader *lane, uint32_t number,
                      const struct sg_lane_row *row) {
    uint32_t payload = sg_row_payload(row->head);
    if (row->time_ns > lane->time_ns)
        lane->time_ns = row->time_ns;
    if (row->stack)
        enter_stack(reading, lane, row->stack);
    bool begins = row->kind == SG_ROW_REALLOC || (row->kind == SG_ROW_TIMED_FREE && payload);
    bool is_mark = row->kind == SG_ROW_MARK && payload != SG_MARK_LOST;
    bool settles = row->kind >= SG_ROW_REALLOCED_MEM && row->kind <= SG_ROW_REALLOCED_OBJ;
    settles |= row->kind == SG_ROW_TIMED_REALLOCED;
    if (lane->pending.address && !is_mark && !settles) { /* the end of the reallocation was lost */
        if (!lane->pending.is_freed)
            sg_lane_reader_free_pending(reading, lane);
        lane->pending.address = 0;
    }
    if (begins)
        lane->pending = (struct sg_pending_realloc){
            .address = sg_row_address(row->head),
            .domain = row->domain,
        };
    if (row->kind == SG_ROW_MARK && payload == SG_MARK_THREAD) {
        lane->tid = (uint32_t)sg_row_address(row->head);
        /* if memory is short, the thread has no name */
        sg_vector_add(&reading->threads, lane->tid);
        lane->n_nodes = 0;
        lane->stack = SG_NO_STACK;
    }
    if (sg_row_reader_is_event(row))
        add_row(reading, lane, number, row);
}

/* Add the event of a short row, with the lane's time, thread and stack. */
static void add_short(struct sg_reading *reading, const struct sg_lane_reader *lane,
                      const uint64_t *words, uint64_t number) {
    enum sg_row_kind kind = sg_row_kind(*words);
    bool is_alloc = kind <= SG_ROW_ALLOC_OBJ;
    bool is_collected = kind >= SG_ROW_COLLECTED_MEM;
    bool is_obj =
        kind == SG_ROW_ALLOC_OBJ || kind == SG_ROW_FREE_OBJ || kind == SG_ROW_COLLECTED_OBJ;
    struct sg_trace_event event =
        event_of(lane,
                 is_alloc       ? SG_TRACE_OBJECT_ALLOC
                 : is_collected ? SG_TRACE_OBJECT_FREE_BY_COLLECTOR
                                : SG_TRACE_OBJECT_FREE,
                 is_obj ? SG_TRACE_OBJ : SG_TRACE_MEM, sg_row_address(*words));
    if (is_alloc) {
        event.size = number;
        event.stack = stack_of(reading, lane);
    } else {
        event.type = (uint32_t)number;
    }
    add(reading, &event);
}

uint32_t sg_lane_reader_take_row(struct sg_reading *reading, struct sg_lane_reader *lane,
                                 uint32_t number, const uint64_t *words) {
    uint32_t n_words = sg_row_reader_short_words(*words);
    if (n_words && !lane->pending.address) {
        add_short(reading, lane, words, n_words > 1 ? words[1] : sg_row_payload(*words));
        return n_words;
    }
    struct sg_lane_row row = sg_row_reader_read(words);
    enter_row(reading, lane, number, &row);
    return row.n_words;
}
