/* Converts buckets, locks and events of contention to whole numbers:
 *
 *     sums      ─▶ whole, at least 1
 *     events    ─▶ whole ns, at least 1; a count's fraction is carried to the next event's count
 *     delays    ─▶ only classes that are not 0, in order, and a bitmap of the 64 classes
 *
 * Tables are read in the order in which they refer to each other: events, buckets, locks. So a
 * bucket that an event refers to, and a lock that a bucket refers to, is there when the message is
 * built. Names and places of locks come later, and again when a better one is found (`named`). */
#include "wire/contention_stream.h"

#include <stdlib.h>
#include <string.h>

#include "contention/reader.h"
#include "lock_names/best_names.h"
#include "lock_names/lock_names.h"
#include "platform/time.h"

enum { MAX_EVENTS = 1 << 16 };
enum { MADE = 1, WAITED = 2 }; /* bits of `placed`: which place of a lock is final */

void sg_contention_stream_open(struct sg_contention_stream *stream, struct sg_intern *intern,
                               struct sg_thread_names *threads, struct sg_label_sets *labels) {
    memset(stream, 0, sizeof *stream);
    stream->intern = intern;
    stream->threads = threads;
    stream->labels = labels;
    sg_row_publisher_open(&stream->rows);
}

void sg_contention_stream_close(struct sg_contention_stream *stream) {
    for (size_t i = 0; i < stream->rows.n; i++)
        free(stream->entries[i].delays);
    free(stream->entries);
    sg_row_publisher_close(&stream->rows);
    SG_ROWS_FREE(&stream->locks);
    sg_vector_free(&stream->named);
    SG_ROWS_FREE(&stream->events);
    memset(stream, 0, sizeof *stream);
}

static bool add_lock(struct sg_contention_stream *stream, uint32_t primitive, uint64_t address) {
    return SG_ROWS_ADD(&stream->locks, (struct sg_published_lock){
                                           .address = address,
                                           .primitive = primitive,
                                           .name = SG_STRING_EMPTY,
                                           .made = SG_STRING_EMPTY,
                                           .waited = SG_STRING_EMPTY,
                                       });
}

static void take_lock(void *context, const struct sg_contention_lock *lock) {
    struct sg_contention_stream *stream = context;
    struct sg_published_locks *locks = &stream->locks;
    if (!locks->n)
        add_lock(stream, SG_STRING_EMPTY, 0); /* lock 0: none */
    if (lock->number != locks->n)
        return; /* an earlier lock found no memory and is read again next time */
    uint32_t owner = sg_intern_string(stream->intern, sg_primitive_owner(lock->primitive));
    add_lock(stream, owner, lock->address);
}

static void take_locks(struct sg_contention_stream *stream) {
    uint32_t n = (uint32_t)stream->locks.n;
    sg_contention_reader_read_locks(n ? n : 1, take_lock, stream);
}

void sg_contention_stream_take_names(struct sg_contention_stream *stream) {
    take_locks(stream);
    for (uint32_t lock = 1; lock < stream->locks.n; lock++) {
        uint32_t name = sg_intern_string(stream->intern, sg_best_names_get(lock));
        if (name != stream->locks.at[lock].name && sg_vector_add(&stream->named, lock))
            stream->locks.at[lock].name = name;
    }
}

void sg_contention_stream_settle_names(struct sg_contention_stream *stream, bool is_all) {
    for (uint32_t lock = 1; lock < stream->locks.n; lock++)
        if (!stream->locks.at[lock].is_settled && (is_all || sg_lock_names_was_tried(lock)) &&
            sg_vector_add(&stream->named, lock))
            stream->locks.at[lock].is_settled = true;
}

/* Set `*place` to the place of `frame`, once its code is known. Returns whether a new place was
 * found. */
static bool find_place(struct sg_published_lock *lock, struct sg_stacks *stacks, uint32_t which,
                       struct sg_frame frame, uint32_t *place) {
    if (lock->placed & which || frame.code == SG_NO_CODE || !sg_stacks_place(stacks, frame, place))
        return false;
    lock->placed |= which;
    return *place != SG_STRING_EMPTY;
}

static void take_places(struct sg_contention_stream *stream, struct sg_stacks *stacks) {
    for (uint32_t number = 1; number < stream->locks.n; number++) {
        struct sg_published_lock *lock = &stream->locks.at[number];
        if (lock->placed == (MADE | WAITED))
            continue;
        struct sg_contention_lock now = sg_contention_reader_lock_facts(number);
        uint32_t placed = lock->placed;
        bool is_new = find_place(lock, stacks, MADE, now.made, &lock->made);
        is_new |= find_place(lock, stacks, WAITED, now.waited, &lock->waited);
        if (is_new && !sg_vector_add(&stream->named, number))
            lock->placed = placed; /* the next drain finds the places again */
    }
}

static void take_event(void *context, const struct sg_contention_event *event) {
    struct sg_contention_stream *stream = context;
    /* The fraction is carried to the next event, so that the sum of many events is right. */
    stream->carried_count += event->count;
    uint64_t count = stream->carried_count > 0 ? (uint64_t)stream->carried_count : 0;
    stream->carried_count -= (double)count;
    sg_thread_names_see(stream->threads, event->tid, sg_time_mono_ns());
    const struct sg_published_event published = {
        .bucket = event->bucket,
        .tid = (uint32_t)event->tid,
        .time = event->time,
        .count = count,
        .ns = sg_contention_reader_whole(event->ns),
    };
    if (stream->events.n >= MAX_EVENTS || !SG_ROWS_ADD(&stream->events, published))
        stream->n_refused++;
}

/* Add a bucket. Returns false if memory is short. */
static bool add_entry(struct sg_contention_stream *stream,
                      const struct sg_contention_bucket *bucket) {
    size_t n = stream->rows.n, n_more = bucket->id < n ? 0 : bucket->id + 1 - n;
    if (!sg_vector_make_room((void **)&stream->entries, n, &stream->capacity, n_more,
                             sizeof *stream->entries))
        return false;
    memset(stream->entries + n, 0, n_more * sizeof *stream->entries);
    if (!sg_row_publisher_add(&stream->rows, bucket->id, bucket->frames, bucket->depth,
                              bucket->other_frames, bucket->other_depth))
        return false;
    stream->entries[bucket->id] = (struct sg_contention_entry){
        .kind = (uint32_t)bucket->kind,
        .primitive = sg_intern_string(stream->intern, sg_primitive_name(bucket->primitive)),
        .lock = bucket->lock,
        .labels = bucket->labels,
        .other_labels = bucket->other_labels,
    };
    sg_label_sets_need(stream->labels, bucket->labels);
    sg_label_sets_need(stream->labels, bucket->other_labels);
    return true;
}

/* Store the delays that are not 0, and mark those that have changed. Returns false if memory is
 * short. */
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
        if (!(entry->delay_bits & bit) || sg_contention_messages_delay(entry, log2) != count)
            entry->changed_bits |= bit;
        counts[n++] = count;
    }
    free(entry->delays);
    entry->delays = counts;
    entry->delay_bits = bits;
    return true;
}

static void take_bucket(void *context, const struct sg_contention_bucket *bucket) {
    struct sg_contention_stream *stream = context;
    if (!sg_row_publisher_has(&stream->rows, bucket->id) && !add_entry(stream, bucket)) {
        stream->is_short = true; /* the next drain reads all buckets */
        return;
    }
    struct sg_contention_entry *entry = &stream->entries[bucket->id];
    entry->count = sg_contention_reader_whole(bucket->count);
    entry->count += !entry->count;
    entry->total_ns = sg_contention_reader_whole(bucket->total_ns);
    entry->max_ns = bucket->max_ns;
    stream->is_short |= !take_delays(entry, bucket->delays);
    sg_row_publisher_change(&stream->rows, bucket->id);
}

/* If a bucket could not be stored, drop all events: sending them would look up that bucket's row.
 */
static void drop_events_without_bucket(struct sg_contention_stream *stream) {
    for (size_t i = 0; i < stream->events.n; i++)
        if (stream->events.at[i].bucket >= stream->rows.n) {
            stream->n_refused += stream->events.n;
            stream->events.n = 0;
        }
}

static void forget_unsent_locks(struct sg_contention_stream *stream) {
    for (size_t i = 0; i < stream->rows.n; i++)
        if (stream->entries[i].lock >= stream->locks.n)
            stream->entries[i].lock = 0;
}

void sg_contention_stream_drain(struct sg_contention_stream *stream, struct sg_stacks *stacks,
                                bool is_last) {
    bool is_whole = stream->is_short;
    stream->is_short = false;
    /* Events, buckets, locks: each is read before the table that it refers to. */
    sg_contention_reader_drain_events(take_event, stream);
    sg_contention_reader_read(!is_whole, take_bucket, stream);
    take_locks(stream);
    take_places(stream, stacks);
    forget_unsent_locks(stream);
    drop_events_without_bucket(stream);
    sg_row_publisher_name(&stream->rows, stacks, is_last);
}

static bool has_news(const struct sg_contention_stream *stream) {
    return sg_row_publisher_has_changes(&stream->rows) || stream->events.n ||
           stream->n_locks_sent < stream->locks.n || stream->named.n;
}

static size_t send_changes(struct sg_contention_stream *stream, struct sg_clients *clients) {
    struct sg_buffer message = {0};
    const struct sg_row_batch rows = sg_row_publisher_changes(&stream->rows);
    const struct sg_contention_batch batch = {
        .locks = &stream->locks,
        .first_lock = stream->n_locks_sent,
        .end_lock = (uint32_t)stream->locks.n,
        .named = &stream->named,
        .entries = stream->entries,
        .rows = &rows,
        .events = &stream->events,
    };
    sg_contention_messages_put(&message, &batch);
    for (size_t i = 0; i < rows.n_changed; i++)
        stream->entries[stream->rows.ids.values[rows.changed[i]]].changed_bits = 0;
    sg_row_publisher_publish(&stream->rows, SG_TABLE_CONTENTION, clients, &message);
    SG_DROP_SENT(&stream->rows, &stream->events);
    stream->n_locks_sent = batch.end_lock;
    stream->named.n = 0;
    size_t size = message.size;
    sg_encoder_buffer_free(&message);
    return size;
}

/* Return the locks with a known name or place, or a settled name. */
static struct sg_vector list_named(const struct sg_contention_stream *stream) {
    struct sg_vector named = {0};
    for (uint32_t lock = 0; lock < stream->n_locks_sent; lock++)
        if (stream->locks.at[lock].name != SG_STRING_EMPTY ||
            stream->locks.at[lock].made != SG_STRING_EMPTY ||
            stream->locks.at[lock].waited != SG_STRING_EMPTY || stream->locks.at[lock].is_settled)
            sg_vector_add(&named, lock);
    return named;
}

/* Put a step for a late client. It defines the locks that were sent to the others by now. Their
 * names come with the last step, which defines no rows. */
static void put_rows(struct sg_client *client, void *context, const struct sg_row_batch *rows) {
    const struct sg_contention_stream *stream = context;
    bool is_last = rows->first == rows->end;
    struct sg_vector named = is_last ? list_named(stream) : (struct sg_vector){0};
    const struct sg_contention_batch batch = {
        .locks = &stream->locks,
        .first_lock = client->n_locks,
        .end_lock = stream->n_locks_sent,
        .named = &named,
        .entries = stream->entries,
        .rows = rows,
        .is_whole = true,
    };
    sg_contention_messages_put(&client->out, &batch);
    client->n_locks = stream->n_locks_sent;
    sg_vector_free(&named);
}

size_t sg_contention_stream_send(struct sg_contention_stream *stream, struct sg_clients *clients) {
    size_t size = has_news(stream) ? send_changes(stream, clients) : 0;
    sg_row_publisher_catch_up(&stream->rows, SG_TABLE_CONTENTION, clients, put_rows, stream);
    return size;
}
