/* Encoder of Contention and ContentionStatus: see contention_messages.h. */
#include "wire/contention_messages.h"

#include "wire/intern.h"
#include "wire/messages.h"

static void put_locks(struct sg_buffer *out, const struct sg_contention_batch *batch) {
    size_t n = batch->end_lock - batch->first_lock;
    if (!n)
        return;
    sg_encoder_put_packed_u32(out, SG_TAG_CONTENTION_LOCK_PRIMITIVE,
                              batch->locks->primitive.values + batch->first_lock, n);
    sg_encoder_put_packed_u64(out, SG_TAG_CONTENTION_LOCK_ADDRESS,
                              batch->locks->address.values + batch->first_lock, n);
}

static void put_names(struct sg_buffer *out, const struct sg_contention_batch *batch) {
    const uint32_t *named = batch->named->values, *names = batch->locks->name.values;
    size_t n = batch->named->n;
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_NAMED_LOCK, n, named[i]);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_NAMED_NAME, n, names[named[i]]);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_NAMED_SITE, n, batch->locks->made.values[named[i]]);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_NAMED_WAIT, n, batch->locks->waited.values[named[i]]);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_NAMED_SETTLED, n, batch->locks->settled.values[named[i]]);
}

static void put_definitions(struct sg_buffer *out, const struct sg_contention_batch *batch) {
    const struct sg_contention_entry *entries = batch->entries;
    const struct sg_published_row *rows = batch->rows->of->at;
    const uint32_t *ids = batch->rows->of->ids.values + batch->rows->first;
    size_t n = batch->rows->end - batch->rows->first;
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_BUCKET_KIND, n, entries[ids[i]].kind);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_BUCKET_PRIMITIVE, n, entries[ids[i]].primitive);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_BUCKET_LOCK, n, entries[ids[i]].lock);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_BUCKET_NODE, n, rows[ids[i]].node);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_BUCKET_OTHER_NODE, n, rows[ids[i]].other_node);
}

static void put_values(struct sg_buffer *out, const struct sg_contention_batch *batch) {
    const struct sg_contention_entry *entries = batch->entries;
    const uint32_t *ids = batch->rows->of->ids.values, *changed = batch->rows->changed;
    size_t n = batch->rows->n_changed;
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_VALUE_BUCKET, n, changed[i]);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_VALUE_COUNT, n, entries[ids[changed[i]]].count);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_VALUE_TOTAL_NS, n, entries[ids[changed[i]]].total_ns);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_VALUE_MAX_NS, n, entries[ids[changed[i]]].max_ns);
}

enum delay_column {
    DELAY_BUCKET = SG_TAG_CONTENTION_DELAY_BUCKET,
    DELAY_LOG2 = SG_TAG_CONTENTION_DELAY_LOG2,
    DELAY_COUNT = SG_TAG_CONTENTION_DELAY_COUNT,
};

static void put_delays_of(struct sg_buffer *out, const struct sg_contention_entry *entry,
                          uint64_t bits, uint32_t row, enum delay_column column) {
    for (; bits; bits &= bits - 1) {
        int log2 = __builtin_ctzll(bits);
        sg_encoder_put_varint(out, column == DELAY_BUCKET ? row
                                   : column == DELAY_LOG2 ? (uint64_t)log2
                                                          : sg_entry_delay(entry, log2));
    }
}

static void put_delays(struct sg_buffer *out, const struct sg_contention_batch *batch) {
    const uint32_t *ids = batch->rows->of->ids.values, *changed = batch->rows->changed;
    for (int column = DELAY_BUCKET; column <= DELAY_COUNT; column++) {
        size_t begun = sg_encoder_begin_message(out, (uint32_t)column);
        for (size_t i = 0; i < batch->rows->n_changed; i++) {
            const struct sg_contention_entry *entry = &batch->entries[ids[changed[i]]];
            put_delays_of(out, entry, batch->is_whole ? entry->delay_bits : entry->changed_bits,
                          changed[i], (enum delay_column)column);
        }
        sg_encoder_end_message(out, begun);
    }
}

static void put_events(struct sg_buffer *out, const struct sg_row_publisher *rows,
                       const struct sg_contention_events *events) {
    const uint32_t *ids = events->bucket.values;
    size_t n = events->bucket.n;
    SG_PUT_SENT(out, SG_TAG_CONTENTION_EVENT_BUCKET, rows, ids, n, sg_row_of(rows, ids[i]));
    SG_PUT_SENT(out, SG_TAG_CONTENTION_EVENT_TID, rows, ids, n, events->tid.values[i]);
    SG_PUT_SENT(out, SG_TAG_CONTENTION_EVENT_TIME, rows, ids, n, events->time.values[i]);
    SG_PUT_SENT(out, SG_TAG_CONTENTION_EVENT_COUNT, rows, ids, n, events->count.values[i]);
    SG_PUT_SENT(out, SG_TAG_CONTENTION_EVENT_NS, rows, ids, n, events->ns.values[i]);
}

void sg_contention_messages_put(struct sg_buffer *out, const struct sg_contention_batch *batch) {
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_CONTENTION);
    put_locks(out, batch);
    if (batch->named)
        put_names(out, batch);
    if (batch->rows) {
        put_definitions(out, batch);
        put_values(out, batch);
        put_delays(out, batch);
    }
    if (batch->events)
        put_events(out, batch->rows->of, batch->events);
    sg_messages_end_from_engine(out, message);
}

void sg_contention_messages_put_status(struct sg_buffer *out,
                                       const struct sg_contention_status *status,
                                       const struct sg_contention_standing *standing) {
    struct sg_message message =
        sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_CONTENTION_STATUS);
    sg_encoder_put_int(out, SG_TAG_CONTENTION_STATUS_TIME_MONO_NS, standing->time_mono_ns);
    sg_encoder_put_uint(out, SG_TAG_CONTENTION_STATUS_BLOCK_RATE_NS, standing->requested.block_ns);
    sg_encoder_put_uint(out, SG_TAG_CONTENTION_STATUS_MUTEX_FRACTION,
                        standing->requested.mutex_fraction);
    sg_encoder_put_uint(out, SG_TAG_CONTENTION_STATUS_GIL_HZ, standing->requested.gil_hz);
    sg_encoder_put_uint(out, SG_TAG_CONTENTION_STATUS_N_EVENTS, status->n_events);
    sg_encoder_put_uint(out, SG_TAG_CONTENTION_STATUS_N_LOST, status->n_lost);
    sg_encoder_put_uint(out, SG_TAG_CONTENTION_STATUS_N_LOST_EVENTS,
                        status->n_lost_events + standing->n_refused);
    sg_encoder_put_uint(out, SG_TAG_CONTENTION_STATUS_N_UNNAMED, standing->n_unnamed);
    sg_encoder_put_uint(out, SG_TAG_CONTENTION_STATUS_N_LOCKS, status->n_locks);
    sg_encoder_put_string(out, SG_TAG_CONTENTION_STATUS_LOCK_SOURCE, standing->lock_source);
    sg_encoder_put_string(out, SG_TAG_CONTENTION_STATUS_GIL_SOURCE, standing->gil_source);
    sg_encoder_put_string(out, SG_TAG_CONTENTION_STATUS_PROBLEM, standing->problem);
    sg_encoder_put_string(out, SG_TAG_CONTENTION_STATUS_GIL_PROBLEM, standing->gil_problem);
    sg_encoder_put_uint(out, SG_TAG_CONTENTION_STATUS_TABLE_BYTES, status->table_bytes);
    sg_encoder_put_uint(out, SG_TAG_CONTENTION_STATUS_HAS_OTHER, standing->requested.is_other);
    sg_encoder_put_uint(out, SG_TAG_CONTENTION_STATUS_STALL_NS, standing->requested.stall_ns);
    sg_encoder_put_int(out, SG_TAG_CONTENTION_STATUS_START_MONO_NS, standing->start_mono_ns);
    sg_messages_end_from_engine(out, message);
}

static void set_n_events(struct sg_contention_events *events, size_t n) {
    events->bucket.n = events->tid.n = events->time.n = events->count.n = events->ns.n = n;
}

bool sg_contention_messages_events_put(struct sg_contention_events *events, uint32_t bucket,
                                       uint32_t tid, uint32_t time, uint64_t count, uint64_t ns) {
    size_t n = events->ns.n;
    if (sg_vector_add(&events->bucket, bucket) && sg_vector_add(&events->tid, tid) &&
        sg_vector_add(&events->time, time) && sg_vector_add_wide(&events->count, count) &&
        sg_vector_add_wide(&events->ns, ns))
        return true;
    set_n_events(events, n);
    return false;
}

void sg_contention_messages_events_drop_sent(struct sg_contention_events *events,
                                             const struct sg_row_publisher *rows) {
    size_t n_kept = 0;
    for (size_t i = 0; i < events->bucket.n; i++) {
        if (sg_row_of(rows, events->bucket.values[i]) != SG_NO_ROW)
            continue;
        events->bucket.values[n_kept] = events->bucket.values[i];
        events->tid.values[n_kept] = events->tid.values[i];
        events->time.values[n_kept] = events->time.values[i];
        events->count.values[n_kept] = events->count.values[i];
        events->ns.values[n_kept++] = events->ns.values[i];
    }
    set_n_events(events, n_kept);
}

void sg_contention_messages_events_clear(struct sg_contention_events *events) {
    set_n_events(events, 0);
}

void sg_contention_messages_events_free(struct sg_contention_events *events) {
    sg_vector_free(&events->bucket);
    sg_vector_free(&events->tid);
    sg_vector_free(&events->time);
    sg_vector_free_wide(&events->count);
    sg_vector_free_wide(&events->ns);
}
