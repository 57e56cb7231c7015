/* The heap is sent in columns, one packed field for each. The row publisher numbers the rows, and
 * its `ids` map a row to its bucket. A bucket is defined once, and its sums are sent whenever they
 * have changed. */
#include "wire/heap_messages.h"

#include "wire/messages.h"

static void put_definitions(struct sg_buffer *out, const struct sg_heap_batch *batch) {
    const struct sg_heap_entry *entries = batch->entries;
    const struct sg_published_row *rows = batch->rows->of->at;
    const uint32_t *ids = batch->rows->of->ids.values + batch->rows->first;
    size_t n = batch->rows->end - batch->rows->first;
    SG_PUT_COLUMN(out, SG_TAG_HEAP_BUCKET_NODE, n, rows[ids[i]].node);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_BUCKET_KIND, n, entries[ids[i]].bucket.kind);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_BUCKET_SIZE, n, entries[ids[i]].bucket.size);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_BUCKET_RATE, n, entries[ids[i]].bucket.rate);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_BUCKET_LABELS, n, entries[ids[i]].bucket.labels);
}

static void put_values(struct sg_buffer *out, const struct sg_heap_batch *batch) {
    const struct sg_heap_entry *entries = batch->entries;
    const uint32_t *ids = batch->rows->of->ids.values, *changed = batch->rows->changed;
    size_t n = batch->rows->n_changed;
    SG_PUT_COLUMN(out, SG_TAG_HEAP_VALUE_BUCKET, n, changed[i]);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_VALUE_ALLOCS, n, entries[ids[changed[i]]].bucket.live.allocs);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_VALUE_ALLOC_BYTES, n,
                  entries[ids[changed[i]]].bucket.live.alloc_bytes);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_VALUE_FREES, n, entries[ids[changed[i]]].bucket.live.frees);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_VALUE_FREE_BYTES, n,
                  entries[ids[changed[i]]].bucket.live.free_bytes);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_VALUE_FULL_ALLOCS, n,
                  entries[ids[changed[i]]].bucket.as_of_full.allocs);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_VALUE_FULL_ALLOC_BYTES, n,
                  entries[ids[changed[i]]].bucket.as_of_full.alloc_bytes);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_VALUE_FULL_FREES, n,
                  entries[ids[changed[i]]].bucket.as_of_full.frees);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_VALUE_FULL_FREE_BYTES, n,
                  entries[ids[changed[i]]].bucket.as_of_full.free_bytes);
}

static void put_events(struct sg_buffer *out, const struct sg_row_publisher *rows,
                       const struct sg_heap_events *events) {
    const struct sg_heap_event *at = events->at;
    SG_PUT_SENT(out, SG_TAG_HEAP_EVENT_BUCKET, rows, events,
                sg_row_publisher_row(rows, at[i].bucket));
    SG_PUT_SENT(out, SG_TAG_HEAP_EVENT_TID, rows, events, at[i].tid);
    SG_PUT_SENT(out, SG_TAG_HEAP_EVENT_TIME, rows, events, at[i].time);
    SG_PUT_SENT(out, SG_TAG_HEAP_EVENT_COUNT, rows, events, at[i].count);
    SG_PUT_SENT(out, SG_TAG_HEAP_EVENT_BYTES, rows, events, at[i].bytes);
    SG_PUT_SENT(out, SG_TAG_HEAP_EVENT_IS_FREE, rows, events, at[i].is_free);
}

static void put_collections(struct sg_buffer *out, const struct sg_heap_collections *collections) {
    const struct sg_heap_collection *at = collections->at;
    size_t n = collections->n;
    SG_PUT_COLUMN(out, SG_TAG_HEAP_COLLECTION_GENERATION, n, at[i].generation);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_COLLECTION_START_MONO_NS, n, at[i].start_mono_ns);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_COLLECTION_PAUSE_NS, n, at[i].pause_ns);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_COLLECTION_TID, n, at[i].tid);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_COLLECTION_COLLECTED, n, at[i].collected);
    SG_PUT_COLUMN(out, SG_TAG_HEAP_COLLECTION_UNCOLLECTABLE, n, at[i].uncollectable);
}

void sg_heap_messages_put(struct sg_buffer *out, const struct sg_heap_batch *batch) {
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_HEAP);
    put_definitions(out, batch);
    put_values(out, batch);
    if (batch->events)
        put_events(out, batch->rows->of, batch->events);
    if (batch->collections)
        put_collections(out, batch->collections);
    sg_messages_end_from_engine(out, message);
}

void sg_heap_messages_put_status(struct sg_buffer *out, const struct sg_heap_status *status,
                                 const struct sg_heap_standing *standing) {
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_HEAP_STATUS);
    sg_encoder_put_int(out, SG_TAG_HEAP_STATUS_TIME_MONO_NS, standing->time_mono_ns);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_RATE, status->rate);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_N_SAMPLES, status->n_samples);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_N_LOST, status->n_lost);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_N_LOST_FREES, status->n_lost_frees);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_N_LOST_EVENTS,
                        status->n_lost_events + standing->n_refused);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_ACCOUNTED_BYTES, standing->accounted_bytes);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_RSS_BYTES, standing->resident.now_bytes);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_MAX_RSS_BYTES, standing->resident.most_bytes);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_ATTACH_RSS_BYTES, standing->before_attach_bytes);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_N_FULL, status->n_full);
    sg_encoder_put_int(out, SG_TAG_HEAP_STATUS_FULL_MONO_NS, status->full_mono_ns);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_N_COLLECTS, standing->n_collects);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_N_UNNAMED, standing->n_unnamed);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_N_BLOCKS, status->n_blocks);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_N_DISPLACED, status->n_displaced);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_TABLE_BYTES, status->table_bytes);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_IS_LISTENING_TO_GC, status->is_listening_to_gc);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_N_BAD_WALKS, status->n_bad_walks);
    sg_encoder_put_string(out, SG_TAG_HEAP_STATUS_PROBLEM, standing->problem);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_IS_NATIVE_SEEN, standing->is_native_seen);
    sg_encoder_put_string(out, SG_TAG_HEAP_STATUS_NATIVE_PROBLEM, standing->native_problem);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_N_NATIVE_LIBRARIES, standing->n_native_libraries);
    sg_encoder_put_int(out, SG_TAG_HEAP_STATUS_UNACCOUNTED_BYTES,
                       standing->resident.unaccounted_bytes);
    sg_encoder_put_uint(out, SG_TAG_HEAP_STATUS_N_ALLOCATORS, standing->n_allocators);
    uint64_t bytes[SG_MOST_ARENA_LIBRARIES + 1];
    for (size_t i = 0; i < standing->n_arenas; i++) {
        sg_encoder_put_string(out, SG_TAG_HEAP_STATUS_ARENA_LIBRARY, standing->arenas[i].name);
        bytes[i] = standing->arenas[i].bytes;
    }
    sg_encoder_put_packed_u64(out, SG_TAG_HEAP_STATUS_ARENA_BYTES, bytes, standing->n_arenas);
    sg_encoder_put_int(out, SG_TAG_HEAP_STATUS_START_MONO_NS, standing->start_mono_ns);
    sg_messages_end_from_engine(out, message);
}
