/* What a session knows of the heap, and how much of that its clients have been told.
 *
 *     sg_heap_reader_read ─▶ entries by bucket id ──stack named──▶ told_rows ─▶ messages
 *     events, collections ─▶ columns ────────────────────────────────────▲
 *
 * A bucket whose code objects have no names yet waits, and so do its events. The writer's alone. */
#ifndef STACKGLASS_WIRE_HEAP_STREAM_H
#define STACKGLASS_WIRE_HEAP_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/vector.h"
#include "wire/clients.h"
#include "wire/heap_messages.h"
#include "wire/row_publisher.h"
#include "wire/stacks.h"
#include "wire/thread_names.h"

struct sg_heap_stream {
    struct sg_row_publisher rows;
    struct sg_heap_entry *entries; /* (rows.n,): by bucket id; owned */
    size_t capacity;
    struct sg_heap_events events;
    struct sg_heap_collections collections;
    struct sg_thread_names *threads; /* borrowed: the feed's */
    uint64_t accounted_bytes;        /* what the live samples stand for */
    uint64_t n_refused;              /* events for which there was no room */
    bool is_short;                   /* of memory: a bucket is missing */
};

void sg_heap_stream_open(struct sg_heap_stream *feed, struct sg_thread_names *threads);
void sg_heap_stream_close(struct sg_heap_stream *feed);

/* Take in what the heap profiler has, and look for names again. `is_last`: what has none is
 * "<unknown>". */
void sg_heap_stream_drain(struct sg_heap_stream *feed, struct sg_stacks *stacks, bool is_last);
/* Tell what is new, behind the Batch with the nodes that it refers to. Returns its bytes. */
size_t sg_heap_stream_send(struct sg_heap_stream *feed, struct sg_clients *clients);

#endif
