/* How buckets and events of the heap are kept consistent:
 *
 * Events are read before the buckets that they refer to, so no event is without its bucket. A
 * bucket is sent when its stack has names (row_publisher.h), and its events with it; until then
 * they wait, up to 65 536 events. `accounted_bytes` is the sum of all buckets' unsampled live
 * bytes. */
#include "wire/heap_stream.h"

#include <string.h>

#include "heap/reader.h"
#include "heap/sampling.h"
#include "platform/time.h"

enum {
    MAX_EVENTS = 1 << 16,
    MAX_COLLECTIONS = 1 << 14,
};

void sg_heap_stream_open(struct sg_heap_stream *stream, struct sg_thread_names *threads,
                         struct sg_label_sets *labels) {
    memset(stream, 0, sizeof *stream);
    stream->threads = threads;
    stream->labels = labels;
    sg_row_publisher_open(&stream->rows);
}

void sg_heap_stream_close(struct sg_heap_stream *stream) {
    sg_row_publisher_close(&stream->rows);
    SG_ROWS_FREE(&stream->entries);
    SG_ROWS_FREE(&stream->events);
    SG_ROWS_FREE(&stream->collections);
    memset(stream, 0, sizeof *stream);
}

static void account(struct sg_heap_stream *stream, struct sg_heap_entry *entry) {
    const struct sg_heap_sums *live = &entry->bucket.live;
    uint64_t objects, space;
    sg_heap_sampling_unsample(live->allocs - live->frees, live->alloc_bytes - live->free_bytes,
                              entry->bucket.rate, &objects, &space);
    stream->accounted_bytes += space - entry->accounted_bytes;
    entry->accounted_bytes = space;
}

/* Add a bucket. Returns false if memory is short or an earlier bucket is missing. */
static bool add_entry(struct sg_heap_stream *stream, const struct sg_heap_bucket *bucket) {
    if (bucket->id != stream->entries.n || !SG_ROWS_RESERVE(&stream->entries, 1) ||
        !sg_row_publisher_add(&stream->rows, bucket->id, bucket->frames, bucket->depth, NULL, 0))
        return false;
    struct sg_heap_entry *entry = &stream->entries.at[stream->entries.n++];
    *entry = (struct sg_heap_entry){.bucket = *bucket};
    entry->bucket.frames = NULL;
    sg_label_sets_need(stream->labels, bucket->labels);
    return true;
}

static void take_bucket(void *context, const struct sg_heap_bucket *bucket) {
    struct sg_heap_stream *stream = context;
    if (bucket->id >= stream->entries.n && !add_entry(stream, bucket)) {
        stream->is_short = true; /* the next drain reads all buckets */
        return;
    }
    struct sg_heap_entry *entry = &stream->entries.at[bucket->id];
    entry->bucket.live = bucket->live;
    entry->bucket.as_of_full = bucket->as_of_full;
    account(stream, entry);
    sg_row_publisher_change(&stream->rows, bucket->id);
}

static void take_event(void *context, const struct sg_heap_event *event) {
    struct sg_heap_stream *stream = context;
    sg_thread_names_see(stream->threads, event->tid, sg_time_mono_ns());
    if (stream->events.n >= MAX_EVENTS || !SG_ROWS_ADD(&stream->events, *event))
        stream->n_refused += event->count;
}

static void take_collection(void *context, const struct sg_heap_collection *collection) {
    struct sg_heap_stream *stream = context;
    if (stream->collections.n >= MAX_COLLECTIONS || !SG_ROWS_ADD(&stream->collections, *collection))
        stream->n_refused++;
}

/* If a bucket could not be stored, drop all events: sending them would look up that bucket's row.
 */
static void drop_events_without_bucket(struct sg_heap_stream *stream) {
    bool has_all = true;
    uint64_t n_samples = 0;
    for (size_t i = 0; i < stream->events.n; i++) {
        has_all &= stream->events.at[i].bucket < stream->rows.n;
        n_samples += stream->events.at[i].count;
    }
    if (has_all)
        return;
    stream->n_refused += n_samples;
    stream->events.n = 0;
}

void sg_heap_stream_drain(struct sg_heap_stream *stream, struct sg_stacks *stacks, bool is_last) {
    bool is_whole = stream->is_short;
    stream->is_short = false;
    /* Events are read first, so that their buckets cannot be missing. */
    sg_heap_reader_drain_events(take_event, stream);
    sg_heap_reader_drain_collections(take_collection, stream);
    sg_heap_reader_read(!is_whole, take_bucket, stream);
    drop_events_without_bucket(stream);
    sg_row_publisher_name(&stream->rows, stacks, is_last);
}

static bool has_news(const struct sg_heap_stream *stream) {
    return sg_row_publisher_has_changes(&stream->rows) || stream->events.n || stream->collections.n;
}

static size_t send_changes(struct sg_heap_stream *stream, struct sg_clients *clients) {
    struct sg_buffer message = {0};
    const struct sg_row_batch rows = sg_row_publisher_changes(&stream->rows);
    const struct sg_heap_batch batch = {stream->entries.at, &rows, &stream->events,
                                        &stream->collections};
    sg_heap_messages_put(&message, &batch);
    sg_row_publisher_publish(&stream->rows, SG_TABLE_HEAP, clients, &message);
    SG_DROP_SENT(&stream->rows, &stream->events);
    stream->collections.n = 0;
    size_t size = message.size;
    sg_encoder_buffer_free(&message);
    return size;
}

static void put_rows(struct sg_client *client, void *context, const struct sg_row_batch *rows) {
    const struct sg_heap_stream *stream = context;
    sg_heap_messages_put(&client->out,
                         &(struct sg_heap_batch){.entries = stream->entries.at, .rows = rows});
}

size_t sg_heap_stream_send(struct sg_heap_stream *stream, struct sg_clients *clients) {
    size_t size = has_news(stream) ? send_changes(stream, clients) : 0;
    sg_row_publisher_catch_up(&stream->rows, SG_TABLE_HEAP, clients, put_rows, stream);
    return size;
}
