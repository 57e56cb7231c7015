/* Heap stream: sends the heap profile of a session, and tracks how much of it the clients have
 * received.
 *
 *     sg_heap_reader_read ─▶ entries by bucket id ──stack named──▶ rows ─▶ messages
 *     events, collections ─▶ columns ────────────────────────────────────▲
 *
 * A bucket and its events wait until its code objects have names. The writer owns the stream. */
#ifndef STACKGLASS_WIRE_HEAP_STREAM_H
#define STACKGLASS_WIRE_HEAP_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/vector.h"
#include "wire/clients.h"
#include "wire/heap_messages.h"
#include "wire/label_sets.h"
#include "wire/row_publisher.h"
#include "wire/stacks.h"
#include "wire/thread_names.h"

struct sg_heap_stream {
    struct sg_row_publisher rows;
    struct SG_ROWS_OF(struct sg_heap_entry) entries; /* by bucket id */
    struct sg_heap_events events;
    struct sg_heap_collections collections;
    struct sg_thread_names *threads; /* borrowed: the stream's */
    struct sg_label_sets *labels;    /* borrowed: the stream's */
    uint64_t accounted_bytes;        /* bytes that the live samples stand for */
    uint64_t n_refused;              /* samples and collections missing in the timeline */
    bool is_short;                   /* memory was short, so a bucket is missing */
};

void sg_heap_stream_open(struct sg_heap_stream *stream, struct sg_thread_names *threads,
                         struct sg_label_sets *labels);
void sg_heap_stream_close(struct sg_heap_stream *stream);

/* Drain the heap profiler, and look up names again. `is_last`: code without a name becomes
 * "<unknown>". */
void sg_heap_stream_drain(struct sg_heap_stream *stream, struct sg_stacks *stacks, bool is_last);
/* Send all changes. Called after the Batch with the nodes that they refer to is sent. Returns the
 * size of the message in bytes. */
size_t sg_heap_stream_send(struct sg_heap_stream *stream, struct sg_clients *clients);

#endif
