/* Contention is sent in columns, one packed field for each. The row publisher numbers the rows, and
 * its `ids` map a row to its bucket. Delays are triples (row, class, count) in three columns of the
 * same length. For a late client they contain all classes with a set bit, otherwise only the
 * changed ones. */
#include "wire/contention_messages.h"

#include "wire/intern.h"
#include "wire/messages.h"

static void put_locks(struct sg_buffer *out, const struct sg_contention_batch *batch) {
    size_t n = batch->end_lock - batch->first_lock;
    if (!n)
        return;
    const struct sg_published_lock *locks = batch->locks->at + batch->first_lock;
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_LOCK_PRIMITIVE, n, locks[i].primitive);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_LOCK_ADDRESS, n, locks[i].address);
}

static void put_names(struct sg_buffer *out, const struct sg_contention_batch *batch) {
    const uint32_t *named = batch->named->values;
    const struct sg_published_lock *locks = batch->locks->at;
    size_t n = batch->named->n;
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_NAMED_LOCK, n, named[i]);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_NAMED_NAME, n, locks[named[i]].name);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_NAMED_SITE, n, locks[named[i]].made);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_NAMED_WAIT, n, locks[named[i]].waited);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_NAMED_SETTLED, n, locks[named[i]].is_settled);
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
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_BUCKET_LABELS, n, entries[ids[i]].labels);
    SG_PUT_COLUMN(out, SG_TAG_CONTENTION_BUCKET_OTHER_LABELS, n, entries[ids[i]].other_labels);
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
                                   : column == DELAY_LOG2
                                       ? (uint64_t)log2
                                       : sg_contention_messages_delay(entry, log2));
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
    const struct sg_published_event *at = events->at;
    SG_PUT_SENT(out, SG_TAG_CONTENTION_EVENT_BUCKET, rows, events,
                sg_row_publisher_row(rows, at[i].bucket));
    SG_PUT_SENT(out, SG_TAG_CONTENTION_EVENT_TID, rows, events, at[i].tid);
    SG_PUT_SENT(out, SG_TAG_CONTENTION_EVENT_TIME, rows, events, at[i].time);
    SG_PUT_SENT(out, SG_TAG_CONTENTION_EVENT_COUNT, rows, events, at[i].count);
    SG_PUT_SENT(out, SG_TAG_CONTENTION_EVENT_NS, rows, events, at[i].ns);
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
    sg_encoder_put_uint(out, SG_TAG_CONTENTION_STATUS_N_LOCK_WAITS, standing->n_lock_waits);
    sg_encoder_put_uint(out, SG_TAG_CONTENTION_STATUS_LOCK_WAITED_NS, standing->lock_waited_ns);
    sg_encoder_put_uint(out, SG_TAG_CONTENTION_STATUS_LOCK_SAMPLED_NS, standing->lock_sampled_ns);
    sg_encoder_put_string(out, SG_TAG_CONTENTION_STATUS_TASKS_PROBLEM, standing->tasks_problem);
    sg_messages_end_from_engine(out, message);
}
