/* The heap on its way to the clients: see heap_feed.h. */
#include "heap_feed.h"

#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "wakeup.h"

enum {
    MAX_EVENTS = 1 << 16,
    MAX_COLLECTIONS = 1 << 14,
    STEP_ROWS = 1 << 14,
    STEP_BYTES = 1 << 20,
};

/* A drain of ours in progress. */
struct intake {
    struct sg_heap_feed *feed;
    struct sg_stacks *stacks;
};

void sg_heap_feed_open(struct sg_heap_feed *feed, struct sg_thread_names *threads) {
    memset(feed, 0, sizeof *feed);
    feed->threads = threads;
    feed->turn = 1;
}

void sg_heap_feed_close(struct sg_heap_feed *feed) {
    for (size_t i = 0; i < feed->n; i++)
        free((struct sg_frame *)feed->entries[i].bucket.frames);
    free(feed->entries);
    sg_column_free(&feed->rows);
    sg_column_free(&feed->waiting);
    sg_column_free(&feed->changed);
    sg_heap_events_free(&feed->events);
    sg_heap_collections_free(&feed->collections);
    memset(feed, 0, sizeof *feed);
}

static void mark_changed(struct sg_heap_feed *feed, struct sg_heap_entry *entry) {
    entry->turn = feed->turn;
    if (!entry->is_changed && sg_column_add(&feed->changed, entry->row))
        entry->is_changed = true;
}

static bool give_row(struct sg_heap_feed *feed, uint32_t id, uint32_t node) {
    struct sg_heap_entry *entry = &feed->entries[id];
    if (!sg_column_add(&feed->rows, id))
        return false;
    entry->row = (uint32_t)feed->rows.n - 1;
    entry->node = node;
    free((struct sg_frame *)entry->bucket.frames);
    entry->bucket.frames = NULL;
    mark_changed(feed, entry);
    return true;
}

static void account(struct sg_heap_feed *feed, struct sg_heap_entry *entry) {
    const struct sg_heap_sums *live = &entry->bucket.live;
    uint64_t objects, space;
    sg_heap_unsample(live->allocs - live->frees, live->alloc_bytes - live->free_bytes,
                     entry->bucket.rate, &objects, &space);
    feed->accounted_bytes += space - entry->accounted_bytes;
    entry->accounted_bytes = space;
}

/* A bucket that has not been seen yet; its frames are copied until its names are known. */
static bool add_entry(struct sg_heap_feed *feed, const struct sg_heap_bucket *bucket) {
    size_t size = bucket->depth * sizeof *bucket->frames;
    struct sg_frame *frames = malloc(size ? size : 1);
    if (!frames || bucket->id != feed->n ||
        !sg_make_room((void **)&feed->entries, feed->n, &feed->capacity, 1,
                      sizeof *feed->entries) ||
        !sg_column_add(&feed->waiting, bucket->id)) {
        free(frames);
        return false;
    }
    memcpy(frames, bucket->frames, size);
    feed->entries[feed->n++] = (struct sg_heap_entry){.bucket = *bucket, .row = SG_NO_ROW};
    feed->entries[bucket->id].bucket.frames = frames;
    return true;
}

static void take_bucket(void *context, const struct sg_heap_bucket *bucket) {
    struct intake *intake = context;
    struct sg_heap_feed *feed = intake->feed;
    if (bucket->id >= feed->n && !add_entry(feed, bucket)) {
        feed->is_short = true; /* nothing after it can be told from it: read all the next time */
        return;
    }
    struct sg_heap_entry *entry = &feed->entries[bucket->id];
    entry->bucket.live = bucket->live;
    entry->bucket.as_of_full = bucket->as_of_full;
    account(feed, entry);
    if (entry->row != SG_NO_ROW)
        mark_changed(feed, entry);
}

static void take_event(void *context, const struct sg_heap_event *event) {
    struct intake *intake = context;
    struct sg_heap_feed *feed = intake->feed;
    sg_thread_names_see(feed->threads, event->tid, sg_mono_ns());
    if (feed->events.bucket.n >= MAX_EVENTS || !sg_heap_events_put(&feed->events, event))
        feed->n_refused += event->count;
}

static void take_collection(void *context, const struct sg_heap_collection *collection) {
    struct intake *intake = context;
    struct sg_heap_feed *feed = intake->feed;
    if (feed->collections.generation.n >= MAX_COLLECTIONS ||
        !sg_heap_collections_put(&feed->collections, collection))
        feed->n_refused++;
}

static void name_waiting(struct sg_heap_feed *feed, struct sg_stacks *stacks, bool is_last) {
    size_t n = feed->waiting.n, n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t id = feed->waiting.values[i];
        const struct sg_heap_bucket *bucket = &feed->entries[id].bucket;
        uint32_t node = is_last ? sg_stacks_node_now(stacks, bucket->frames, bucket->depth)
                                : sg_stacks_node(stacks, bucket->frames, bucket->depth);
        if (node == SG_NO_NODE || !give_row(feed, id, node))
            feed->waiting.values[n_kept++] = id;
    }
    feed->waiting.n = n_kept;
}

/* An event whose bucket we could not take in can never be told. */
static void drop_events_of_nothing(struct sg_heap_feed *feed) {
    for (size_t i = 0; i < feed->events.bucket.n; i++)
        if (feed->events.bucket.values[i] >= feed->n) {
            feed->n_refused += feed->events.bucket.n;
            feed->events.bucket.n = feed->events.tid.n = feed->events.time.n = 0;
            feed->events.count.n = feed->events.is_free.n = feed->events.bytes.n = 0;
        }
}

void sg_heap_feed_drain(struct sg_heap_feed *feed, struct sg_stacks *stacks, bool is_last) {
    struct intake intake = {feed, stacks};
    bool is_whole = feed->is_short;
    feed->is_short = false;
    /* Events first: no bucket of theirs can then be missing. */
    sg_heap_drain_events(take_event, &intake);
    sg_heap_drain_collections(take_collection, &intake);
    sg_heap_read(!is_whole, take_bucket, &intake);
    drop_events_of_nothing(feed);
    name_waiting(feed, stacks, is_last);
}

static struct sg_heap_batch make_batch(const struct sg_heap_feed *feed) {
    return (struct sg_heap_batch){.entries = feed->entries, .rows = feed->rows.values};
}

static bool is_news(const struct sg_heap_feed *feed) {
    return feed->changed.n || feed->events.bucket.n || feed->collections.generation.n ||
           feed->n_rows_sent < feed->rows.n;
}

static size_t tell_all(struct sg_heap_feed *feed, struct sg_clients *clients) {
    struct sg_buffer message = {0};
    struct sg_heap_batch batch = make_batch(feed);
    batch.first_row = feed->n_rows_sent;
    batch.end_row = (uint32_t)feed->rows.n;
    batch.changed = feed->changed.values;
    batch.n_changed = feed->changed.n;
    batch.events = &feed->events;
    batch.collections = &feed->collections;
    sg_put_heap(&message, &batch);
    for (size_t i = 0; i < clients->n; i++) {
        struct sg_client *client = clients->at[i];
        if (!client->is_heap_up_to_date)
            continue;
        if (message.failed)
            client->out.failed = true; /* it misses something: dropped when flushed */
        sg_put_raw(&client->out, message.bytes, message.size);
    }
    for (size_t i = 0; i < feed->changed.n; i++)
        feed->entries[feed->rows.values[feed->changed.values[i]]].is_changed = false;
    feed->changed.n = 0;
    sg_heap_events_drop_sent(&feed->events, feed->entries);
    sg_heap_collections_clear(&feed->collections);
    feed->n_rows_sent = batch.end_row;
    size_t size = message.size;
    sg_buffer_free(&message);
    return size;
}

/* Rows [first, end) as they are now, if they have changed since `turn`; defined on the way if they
 * are not yet. */
static void tell_rows(const struct sg_heap_feed *feed, struct sg_client *client, uint32_t first,
                      uint32_t end, uint32_t turn) {
    struct sg_column changed = {0};
    struct sg_heap_batch batch = make_batch(feed);
    for (uint32_t row = first; row < end; row++)
        if (feed->entries[feed->rows.values[row]].turn >= turn && !sg_column_add(&changed, row))
            client->out.failed = true;
    batch.first_row = first < client->n_heap_rows ? end : first;
    batch.end_row = end;
    batch.changed = changed.values;
    batch.n_changed = changed.n;
    sg_put_heap(&client->out, &batch);
    sg_column_free(&changed);
}

/* Who comes late gets every row, a step at a time, and at the end those that changed meanwhile. */
static void catch_up(const struct sg_heap_feed *feed, struct sg_client *client) {
    if (!client->heap_turn)
        client->heap_turn = feed->turn;
    while (client->n_heap_rows < feed->n_rows_sent && !client->out.failed &&
           client->out.size - client->n_sent < STEP_BYTES) {
        uint32_t left = feed->n_rows_sent - client->n_heap_rows;
        uint32_t end = client->n_heap_rows + (left < STEP_ROWS ? left : STEP_ROWS);
        tell_rows(feed, client, client->n_heap_rows, end, 0);
        client->n_heap_rows = end;
    }
    if (client->n_heap_rows < feed->n_rows_sent)
        return;
    if (client->heap_turn < feed->turn)
        tell_rows(feed, client, 0, feed->n_rows_sent, client->heap_turn);
    client->is_heap_up_to_date = true;
}

size_t sg_heap_feed_send(struct sg_heap_feed *feed, struct sg_clients *clients) {
    size_t size = is_news(feed) ? tell_all(feed, clients) : 0;
    /* The program's own profile (no socket) is of the CPU alone. */
    for (size_t i = 0; i < clients->n; i++)
        if (clients->at[i]->descriptor >= 0 && clients->at[i]->is_up_to_date &&
            !clients->at[i]->is_heap_up_to_date)
            catch_up(feed, clients->at[i]);
    feed->turn++;
    return size;
}
