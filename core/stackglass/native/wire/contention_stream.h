/* Contention stream: sends the contention of a session, and tracks how much of it the clients have
 * received.
 *
 *     buckets ─▶ entries by bucket id ──both stacks named──▶ row_publisher ─▶ messages
 *     locks, events ─▶ columns ────────────────────────────────────────────────▲
 *
 * It works as heap_stream does, with whole numbers. A lock is sent before the first bucket that
 * refers to it. The writer owns the stream. */
#ifndef STACKGLASS_WIRE_CONTENTION_STREAM_H
#define STACKGLASS_WIRE_CONTENTION_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/clients.h"
#include "wire/contention_messages.h"
#include "wire/intern.h"
#include "wire/label_sets.h"
#include "wire/row_publisher.h"
#include "wire/stacks.h"
#include "wire/thread_names.h"

struct sg_contention_stream {
    struct sg_row_publisher rows;
    struct sg_contention_entry *entries; /* (rows.n,): by bucket id; owned */
    size_t capacity;
    struct sg_published_locks locks;
    uint32_t n_locks_sent;
    struct sg_vector named; /* locks with a new name or place since the last message */
    struct sg_contention_events events;
    double carried_count;            /* sum of the fractions that were cut off from event counts */
    struct sg_thread_names *threads; /* borrowed: the stream's */
    struct sg_intern *intern;        /* borrowed: the stream's */
    struct sg_label_sets *labels;    /* borrowed: the stream's */
    uint64_t n_refused;              /* events that found no room */
    bool is_short;                   /* memory was short, so data are missing */
};

void sg_contention_stream_open(struct sg_contention_stream *stream, struct sg_intern *intern,
                               struct sg_thread_names *threads, struct sg_label_sets *labels);
void sg_contention_stream_close(struct sg_contention_stream *stream);

/* Drain the contention profiler, and look up names again. `is_last`: code without a name becomes
 * "<unknown>". */
void sg_contention_stream_drain(struct sg_contention_stream *stream, struct sg_stacks *stacks,
                                bool is_last);
/* Take the names that lock_names has found. No job may be under way. */
void sg_contention_stream_take_names(struct sg_contention_stream *stream);
/* Mark the names of locks as settled: of all locks, or only of those for which a search was made.
 * No job may be under way. */
void sg_contention_stream_settle_names(struct sg_contention_stream *stream, bool is_all);
/* Send all changes. Called after the Batch with the nodes and strings that they refer to is sent.
 * Returns the size of the message in bytes. */
size_t sg_contention_stream_send(struct sg_contention_stream *stream, struct sg_clients *clients);

#endif
