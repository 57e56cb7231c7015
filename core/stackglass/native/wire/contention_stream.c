/* Contention on its way to the clients: see contention_stream.h. */
#include "wire/contention_stream.h"

#include <stdlib.h>
#include <string.h>

#include "contention/reader.h"
#include "lock_names/best_names.h"
#include "lock_names/lock_names.h"
#include "platform/time.h"

enum { MAX_EVENTS = 1 << 16 };
enum { MADE = 1, WAITED = 2 }; /* of a lock: where it was */

void sg_contention_stream_open(struct sg_contention_stream *feed, struct sg_intern *intern,
                               struct sg_thread_names *threads) {
    memset(feed, 0, sizeof *feed);
    feed->intern = intern;
    feed->threads = threads;
    sg_row_publisher_open(&feed->rows);
}

void sg_contention_stream_close(struct sg_contention_stream *feed) {
    for (size_t i = 0; i < feed->rows.n; i++)
        free(feed->entries[i].delays);
    free(feed->entries);
    sg_row_publisher_close(&feed->rows);
    sg_vector_free(&feed->locks.primitive);
    sg_vector_free_wide(&feed->locks.address);
    sg_vector_free(&feed->locks.name);
    sg_vector_free(&feed->locks.made);
    sg_vector_free(&feed->locks.waited);
    sg_vector_free(&feed->locks.settled);
    sg_vector_free(&feed->placed);
    sg_vector_free(&feed->named);
    sg_contention_messages_events_free(&feed->events);
    memset(feed, 0, sizeof *feed);
}

static bool add_lock(struct sg_contention_stream *feed, uint32_t primitive, uint64_t address) {
    struct sg_published_locks *locks = &feed->locks;
    size_t n = locks->primitive.n;
    if (sg_vector_add(&locks->primitive, primitive) &&
        sg_vector_add_wide(&locks->address, address) &&
        sg_vector_add(&locks->name, SG_STRING_EMPTY) &&
        sg_vector_add(&locks->made, SG_STRING_EMPTY) &&
        sg_vector_add(&locks->waited, SG_STRING_EMPTY) && sg_vector_add(&locks->settled, 0) &&
        sg_vector_add(&feed->placed, 0))
        return true;
    locks->primitive.n = locks->address.n = locks->name.n = n;
    locks->made.n = locks->waited.n = locks->settled.n = feed->placed.n = n;
    return false;
}

static void take_lock(void *context, const struct sg_contention_lock *lock) {
    struct sg_contention_stream *feed = context;
    struct sg_published_locks *locks = &feed->locks;
    if (!locks->primitive.n)
        add_lock(feed, SG_STRING_EMPTY, 0); /* lock 0: none */
    if (lock->number != locks->primitive.n)
        return; /* one before it found no memory: it is read again the next time */
    uint32_t owner = sg_intern_string(feed->intern, sg_primitive_owner(lock->primitive));
    add_lock(feed, owner, lock->address);
}

static void take_locks(struct sg_contention_stream *feed) {
    uint32_t n = (uint32_t)feed->locks.primitive.n;
    sg_contention_reader_read_locks(n ? n : 1, take_lock, feed);
}

void sg_contention_stream_take_names(struct sg_contention_stream *feed) {
    take_locks(feed);
    for (uint32_t lock = 1; lock < feed->locks.name.n; lock++) {
        uint32_t name = sg_intern_string(feed->intern, sg_best_names_get(lock));
        if (name != feed->locks.name.values[lock] && sg_vector_add(&feed->named, lock))
            feed->locks.name.values[lock] = name;
    }
}

void sg_contention_stream_settle_names(struct sg_contention_stream *feed, bool is_all) {
    for (uint32_t lock = 1; lock < feed->locks.settled.n; lock++)
        if (!feed->locks.settled.values[lock] && (is_all || sg_lock_names_was_tried(lock)) &&
            sg_vector_add(&feed->named, lock))
            feed->locks.settled.values[lock] = 1;
}

/* Where `frame` is, once its code is known. True if that says something. */
static bool find_place(struct sg_contention_stream *feed, struct sg_stacks *stacks, uint32_t lock,
                       uint32_t which, struct sg_frame frame, uint32_t *place) {
    if (feed->placed.values[lock] & which || frame.code == SG_NO_CODE ||
        !sg_stacks_place(stacks, frame, place))
        return false;
    feed->placed.values[lock] |= which;
    return *place != SG_STRING_EMPTY;
}

static void take_places(struct sg_contention_stream *feed, struct sg_stacks *stacks) {
    for (uint32_t lock = 1; lock < feed->placed.n; lock++) {
        if (feed->placed.values[lock] == (MADE | WAITED))
            continue;
        struct sg_contention_lock now = sg_contention_reader_lock_facts(lock);
        uint32_t *made = &feed->locks.made.values[lock];
        uint32_t *waited = &feed->locks.waited.values[lock];
        bool is_new = find_place(feed, stacks, lock, MADE, now.made, made);
        is_new |= find_place(feed, stacks, lock, WAITED, now.waited, waited);
        if (is_new)
            sg_vector_add(&feed->named, lock);
    }
}

static void take_event(void *context, const struct sg_contention_event *event) {
    struct sg_contention_stream *feed = context;
    /* Cut off evenly, not from each: many small ones shall add up to what they are. */
    feed->carried_count += event->count;
    uint64_t count = feed->carried_count > 0 ? (uint64_t)feed->carried_count : 0;
    feed->carried_count -= (double)count;
    sg_thread_names_see(feed->threads, event->tid, sg_time_mono_ns());
    if (feed->events.bucket.n >= MAX_EVENTS ||
        !sg_contention_messages_events_put(&feed->events, event->bucket, (uint32_t)event->tid,
                                           event->time, count,
                                           sg_contention_reader_whole(event->ns)))
        feed->n_refused++;
}

/* A bucket that has not been seen yet. */
static bool add_entry(struct sg_contention_stream *feed,
                      const struct sg_contention_bucket *bucket) {
    size_t n = feed->rows.n, n_more = bucket->id < n ? 0 : bucket->id + 1 - n;
    if (!sg_vector_make_room((void **)&feed->entries, n, &feed->capacity, n_more,
                             sizeof *feed->entries))
        return false;
    memset(feed->entries + n, 0, n_more * sizeof *feed->entries);
    if (!sg_row_publisher_add(&feed->rows, bucket->id, bucket->frames, bucket->depth,
                              bucket->other_frames, bucket->other_depth))
        return false;
    feed->entries[bucket->id] = (struct sg_contention_entry){
        .kind = (uint32_t)bucket->kind,
        .primitive = sg_intern_string(feed->intern, sg_primitive_name(bucket->primitive)),
        .lock = bucket->lock,
    };
    return true;
}

/* The delays that are not 0; those that differ are marked. False if there is no memory. */
static bool take_delays(struct sg_contention_entry *entry, const double *delays) {
    uint64_t bits = 0;
    for (int log2 = 0; log2 < SG_CONTENTION_DELAYS; log2++)
        if (delays[log2] > 0)
            bits |= UINT64_C(1) << log2;
    uint64_t *counts = malloc((size_t)__builtin_popcountll(bits) * sizeof *counts + 1);
    if (!counts)
        return false;
    size_t n = 0;
    for (uint64_t left = bits; left; left &= left - 1) {
        int log2 = __builtin_ctzll(left);
        uint64_t bit = left & -left, count = sg_contention_reader_whole(delays[log2]);
        if (!(entry->delay_bits & bit) || sg_entry_delay(entry, log2) != count)
            entry->changed_bits |= bit;
        counts[n++] = count;
    }
    free(entry->delays);
    entry->delays = counts;
    entry->delay_bits = bits;
    return true;
}

static void take_bucket(void *context, const struct sg_contention_bucket *bucket) {
    struct sg_contention_stream *feed = context;
    if (!sg_row_publisher_has(&feed->rows, bucket->id) && !add_entry(feed, bucket)) {
        feed->is_short = true; /* nothing after it can be told from it: read all the next time */
        return;
    }
    struct sg_contention_entry *entry = &feed->entries[bucket->id];
    entry->count = sg_contention_reader_whole(bucket->count);
    entry->count += !entry->count;
    entry->total_ns = sg_contention_reader_whole(bucket->total_ns);
    entry->max_ns = bucket->max_ns;
    feed->is_short |= !take_delays(entry, bucket->delays);
    sg_row_publisher_change(&feed->rows, bucket->id);
}

/* What refers to something that we could not take in can never be told. */
static void drop_events_of_nothing(struct sg_contention_stream *feed) {
    for (size_t i = 0; i < feed->events.bucket.n; i++)
        if (feed->events.bucket.values[i] >= feed->rows.n) {
            feed->n_refused += feed->events.bucket.n;
            sg_contention_messages_events_clear(&feed->events);
        }
}

static void forget_untold_locks(struct sg_contention_stream *feed) {
    for (size_t i = 0; i < feed->rows.n; i++)
        if (feed->entries[i].lock >= feed->locks.primitive.n)
            feed->entries[i].lock = 0;
}

void sg_contention_stream_drain(struct sg_contention_stream *feed, struct sg_stacks *stacks,
                                bool is_last) {
    bool is_whole = feed->is_short;
    feed->is_short = false;
    /* Events, buckets, locks: what refers goes before what it refers to. */
    sg_contention_reader_drain_events(take_event, feed);
    sg_contention_reader_read(!is_whole, take_bucket, feed);
    take_locks(feed);
    take_places(feed, stacks);
    forget_untold_locks(feed);
    drop_events_of_nothing(feed);
    sg_row_publisher_name(&feed->rows, stacks, is_last);
}

static bool has_news(const struct sg_contention_stream *feed) {
    return sg_row_publisher_has_changes(&feed->rows) || feed->events.bucket.n ||
           feed->n_locks_sent < feed->locks.primitive.n || feed->named.n;
}

static size_t tell_all(struct sg_contention_stream *feed, struct sg_clients *clients) {
    struct sg_buffer message = {0};
    const struct sg_row_batch rows = sg_row_publisher_changes(&feed->rows);
    const struct sg_contention_batch batch = {
        .locks = &feed->locks,
        .first_lock = feed->n_locks_sent,
        .end_lock = (uint32_t)feed->locks.primitive.n,
        .named = &feed->named,
        .entries = feed->entries,
        .rows = &rows,
        .events = &feed->events,
    };
    sg_contention_messages_put(&message, &batch);
    for (size_t i = 0; i < rows.n_changed; i++)
        feed->entries[feed->rows.ids.values[rows.changed[i]]].changed_bits = 0;
    sg_row_publisher_publish(&feed->rows, SG_TOLD_CONTENTION, clients, &message);
    sg_contention_messages_events_drop_sent(&feed->events, &feed->rows);
    feed->n_locks_sent = batch.end_lock;
    feed->named.n = 0;
    size_t size = message.size;
    sg_encoder_buffer_free(&message);
    return size;
}

/* All names that are known. */
static struct sg_vector list_named(const struct sg_contention_stream *feed) {
    struct sg_vector named = {0};
    for (uint32_t lock = 0; lock < feed->n_locks_sent; lock++)
        if (feed->locks.name.values[lock] != SG_STRING_EMPTY ||
            feed->locks.made.values[lock] != SG_STRING_EMPTY ||
            feed->locks.waited.values[lock] != SG_STRING_EMPTY || feed->locks.settled.values[lock])
            sg_vector_add(&named, lock);
    return named;
}

/* A step for somebody late needs the locks that the others have been told of by now. Their names
 * come with the last one, which defines nothing. */
static void put_rows(struct sg_client *client, void *context, const struct sg_row_batch *rows) {
    const struct sg_contention_stream *feed = context;
    bool is_last = rows->first == rows->end;
    struct sg_vector named = is_last ? list_named(feed) : (struct sg_vector){0};
    const struct sg_contention_batch batch = {
        .locks = &feed->locks,
        .first_lock = client->n_locks,
        .end_lock = feed->n_locks_sent,
        .named = &named,
        .entries = feed->entries,
        .rows = rows,
        .is_whole = true,
    };
    sg_contention_messages_put(&client->out, &batch);
    client->n_locks = feed->n_locks_sent;
    sg_vector_free(&named);
}

size_t sg_contention_stream_send(struct sg_contention_stream *feed, struct sg_clients *clients) {
    size_t size = has_news(feed) ? tell_all(feed, clients) : 0;
    sg_row_publisher_catch_up(&feed->rows, SG_TOLD_CONTENTION, clients, put_rows, feed);
    return size;
}
