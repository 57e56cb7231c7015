/* The heap on its way to the clients: see heap_stream.h. */
#include "wire/heap_stream.h"

#include <stdlib.h>
#include <string.h>

#include "heap/reader.h"
#include "heap/sampling.h"
#include "platform/time.h"

enum {
    MAX_EVENTS = 1 << 16,
    MAX_COLLECTIONS = 1 << 14,
};

/* A drain of ours in progress. */
struct intake {
    struct sg_heap_stream *feed;
    struct sg_stacks *stacks;
};

void sg_heap_stream_open(struct sg_heap_stream *feed, struct sg_thread_names *threads) {
    memset(feed, 0, sizeof *feed);
    feed->threads = threads;
    sg_row_publisher_open(&feed->rows);
}

void sg_heap_stream_close(struct sg_heap_stream *feed) {
    sg_row_publisher_close(&feed->rows);
    free(feed->entries);
    sg_heap_messages_events_free(&feed->events);
    sg_heap_messages_collections_free(&feed->collections);
    memset(feed, 0, sizeof *feed);
}

static void account(struct sg_heap_stream *feed, struct sg_heap_entry *entry) {
    const struct sg_heap_sums *live = &entry->bucket.live;
    uint64_t objects, space;
    sg_heap_sampling_unsample(live->allocs - live->frees, live->alloc_bytes - live->free_bytes,
                              entry->bucket.rate, &objects, &space);
    feed->accounted_bytes += space - entry->accounted_bytes;
    entry->accounted_bytes = space;
}

/* A bucket that has not been seen yet. */
static bool add_entry(struct sg_heap_stream *feed, const struct sg_heap_bucket *bucket) {
    if (bucket->id != feed->rows.n ||
        !sg_vector_make_room((void **)&feed->entries, feed->rows.n, &feed->capacity, 1,
                             sizeof *feed->entries) ||
        !sg_row_publisher_add(&feed->rows, bucket->id, bucket->frames, bucket->depth, NULL, 0))
        return false;
    feed->entries[bucket->id] = (struct sg_heap_entry){.bucket = *bucket};
    feed->entries[bucket->id].bucket.frames = NULL;
    return true;
}

static void take_bucket(void *context, const struct sg_heap_bucket *bucket) {
    struct intake *intake = context;
    struct sg_heap_stream *feed = intake->feed;
    if (bucket->id >= feed->rows.n && !add_entry(feed, bucket)) {
        feed->is_short = true; /* nothing after it can be told from it: read all the next time */
        return;
    }
    struct sg_heap_entry *entry = &feed->entries[bucket->id];
    entry->bucket.live = bucket->live;
    entry->bucket.as_of_full = bucket->as_of_full;
    account(feed, entry);
    sg_row_publisher_change(&feed->rows, bucket->id);
}

static void take_event(void *context, const struct sg_heap_event *event) {
    struct intake *intake = context;
    struct sg_heap_stream *feed = intake->feed;
    sg_thread_names_see(feed->threads, event->tid, sg_time_mono_ns());
    if (feed->events.bucket.n >= MAX_EVENTS || !sg_heap_messages_events_put(&feed->events, event))
        feed->n_refused += event->count;
}

static void take_collection(void *context, const struct sg_heap_collection *collection) {
    struct intake *intake = context;
    struct sg_heap_stream *feed = intake->feed;
    if (feed->collections.generation.n >= MAX_COLLECTIONS ||
        !sg_heap_messages_collections_put(&feed->collections, collection))
        feed->n_refused++;
}

/* An event whose bucket we could not take in can never be told. */
static void drop_events_of_nothing(struct sg_heap_stream *feed) {
    for (size_t i = 0; i < feed->events.bucket.n; i++)
        if (feed->events.bucket.values[i] >= feed->rows.n) {
            feed->n_refused += feed->events.bucket.n;
            feed->events.bucket.n = feed->events.tid.n = feed->events.time.n = 0;
            feed->events.count.n = feed->events.is_free.n = feed->events.bytes.n = 0;
        }
}

void sg_heap_stream_drain(struct sg_heap_stream *feed, struct sg_stacks *stacks, bool is_last) {
    struct intake intake = {feed, stacks};
    bool is_whole = feed->is_short;
    feed->is_short = false;
    /* Events first: no bucket of theirs can then be missing. */
    sg_heap_reader_drain_events(take_event, &intake);
    sg_heap_reader_drain_collections(take_collection, &intake);
    sg_heap_reader_read(!is_whole, take_bucket, &intake);
    drop_events_of_nothing(feed);
    sg_row_publisher_name(&feed->rows, stacks, is_last);
}

static bool has_news(const struct sg_heap_stream *feed) {
    return sg_row_publisher_has_changes(&feed->rows) || feed->events.bucket.n ||
           feed->collections.generation.n;
}

static size_t tell_all(struct sg_heap_stream *feed, struct sg_clients *clients) {
    struct sg_buffer message = {0};
    const struct sg_row_batch rows = sg_row_publisher_changes(&feed->rows);
    const struct sg_heap_batch batch = {feed->entries, &rows, &feed->events, &feed->collections};
    sg_heap_messages_put(&message, &batch);
    sg_row_publisher_publish(&feed->rows, SG_TOLD_HEAP, clients, &message);
    sg_heap_messages_events_drop_sent(&feed->events, &feed->rows);
    sg_heap_messages_collections_clear(&feed->collections);
    size_t size = message.size;
    sg_encoder_buffer_free(&message);
    return size;
}

static void put_rows(struct sg_client *client, void *context, const struct sg_row_batch *rows) {
    const struct sg_heap_stream *feed = context;
    sg_heap_messages_put(&client->out,
                         &(struct sg_heap_batch){.entries = feed->entries, .rows = rows});
}

size_t sg_heap_stream_send(struct sg_heap_stream *feed, struct sg_clients *clients) {
    size_t size = has_news(feed) ? tell_all(feed, clients) : 0;
    sg_row_publisher_catch_up(&feed->rows, SG_TOLD_HEAP, clients, put_rows, feed);
    return size;
}
