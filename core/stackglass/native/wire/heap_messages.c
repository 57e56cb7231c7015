/* Encoder of Heap and HeapStatus: see heap_messages.h. */
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
    const uint32_t *ids = events->bucket.values;
    size_t n = events->bucket.n;
    SG_PUT_SENT(out, SG_TAG_HEAP_EVENT_BUCKET, rows, ids, n, sg_row_of(rows, ids[i]));
    SG_PUT_SENT(out, SG_TAG_HEAP_EVENT_TID, rows, ids, n, events->tid.values[i]);
    SG_PUT_SENT(out, SG_TAG_HEAP_EVENT_TIME, rows, ids, n, events->time.values[i]);
    SG_PUT_SENT(out, SG_TAG_HEAP_EVENT_COUNT, rows, ids, n, events->count.values[i]);
    SG_PUT_SENT(out, SG_TAG_HEAP_EVENT_BYTES, rows, ids, n, events->bytes.values[i]);
    SG_PUT_SENT(out, SG_TAG_HEAP_EVENT_IS_FREE, rows, ids, n, events->is_free.values[i]);
}

static void put_collections(struct sg_buffer *out, const struct sg_heap_collections *collections) {
    size_t n = collections->generation.n;
    sg_encoder_put_packed_u32(out, SG_TAG_HEAP_COLLECTION_GENERATION,
                              collections->generation.values, n);
    sg_encoder_put_packed_u64(out, SG_TAG_HEAP_COLLECTION_START_MONO_NS,
                              collections->start_mono_ns.values, n);
    sg_encoder_put_packed_u64(out, SG_TAG_HEAP_COLLECTION_PAUSE_NS, collections->pause_ns.values,
                              n);
    sg_encoder_put_packed_u32(out, SG_TAG_HEAP_COLLECTION_TID, collections->tid.values, n);
    sg_encoder_put_packed_u64(out, SG_TAG_HEAP_COLLECTION_COLLECTED, collections->collected.values,
                              n);
    sg_encoder_put_packed_u64(out, SG_TAG_HEAP_COLLECTION_UNCOLLECTABLE,
                              collections->uncollectable.values, n);
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

static void set_n_events(struct sg_heap_events *events, size_t n) {
    events->bucket.n = events->tid.n = events->time.n = events->count.n = events->is_free.n = n;
    events->bytes.n = n;
}

bool sg_heap_messages_events_put(struct sg_heap_events *events, const struct sg_heap_event *event) {
    size_t n = events->bytes.n;
    if (sg_vector_add(&events->bucket, event->bucket) &&
        sg_vector_add(&events->tid, (uint32_t)event->tid) &&
        sg_vector_add(&events->time, event->time) && sg_vector_add(&events->count, event->count) &&
        sg_vector_add(&events->is_free, event->is_free) &&
        sg_vector_add_wide(&events->bytes, event->bytes))
        return true;
    set_n_events(events, n);
    return false;
}

void sg_heap_messages_events_drop_sent(struct sg_heap_events *events,
                                       const struct sg_row_publisher *rows) {
    struct sg_vector *columns[] = {&events->bucket, &events->tid, &events->time, &events->count,
                                   &events->is_free};
    size_t n_kept = 0;
    for (size_t i = 0; i < events->bucket.n; i++) {
        if (sg_row_of(rows, events->bucket.values[i]) != SG_NO_ROW)
            continue;
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            columns[c]->values[n_kept] = columns[c]->values[i];
        events->bytes.values[n_kept++] = events->bytes.values[i];
    }
    set_n_events(events, n_kept);
}

void sg_heap_messages_events_free(struct sg_heap_events *events) {
    sg_vector_free(&events->bucket);
    sg_vector_free(&events->tid);
    sg_vector_free(&events->time);
    sg_vector_free(&events->count);
    sg_vector_free(&events->is_free);
    sg_vector_free_wide(&events->bytes);
}

static void set_n_collections(struct sg_heap_collections *collections, size_t n) {
    collections->generation.n = collections->tid.n = n;
    collections->start_mono_ns.n = collections->pause_ns.n = n;
    collections->collected.n = collections->uncollectable.n = n;
}

bool sg_heap_messages_collections_put(struct sg_heap_collections *collections,
                                      const struct sg_heap_collection *collection) {
    size_t n = collections->uncollectable.n;
    if (sg_vector_add(&collections->generation, collection->generation) &&
        sg_vector_add(&collections->tid, (uint32_t)collection->tid) &&
        sg_vector_add_wide(&collections->start_mono_ns, (uint64_t)collection->start_mono_ns) &&
        sg_vector_add_wide(&collections->pause_ns, collection->pause_ns) &&
        sg_vector_add_wide(&collections->collected, collection->collected) &&
        sg_vector_add_wide(&collections->uncollectable, collection->uncollectable))
        return true;
    set_n_collections(collections, n);
    return false;
}

void sg_heap_messages_collections_clear(struct sg_heap_collections *collections) {
    set_n_collections(collections, 0);
}

void sg_heap_messages_collections_free(struct sg_heap_collections *collections) {
    sg_vector_free(&collections->generation);
    sg_vector_free(&collections->tid);
    sg_vector_free_wide(&collections->start_mono_ns);
    sg_vector_free_wide(&collections->pause_ns);
    sg_vector_free_wide(&collections->collected);
    sg_vector_free_wide(&collections->uncollectable);
}
