/* Heap messages as framed bytes, appended to a buffer. See wire.proto. No state, any thread. */
#ifndef STACKGLASS_WIRE_HEAP_MESSAGES_H
#define STACKGLASS_WIRE_HEAP_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/heap.h"
#include "heap/samples.h"
#include "native_memory/arenas.h"
#include "platform/encoder.h"
#include "platform/process_memory.h"
#include "platform/vector.h"
#include "wire/row_publisher.h"

/* One bucket as a session knows it. */
struct sg_heap_entry {
    struct sg_heap_bucket bucket; /* its frames are not there */
    uint64_t accounted_bytes;     /* what its live samples stand for */
};

struct sg_heap_events SG_ROWS_OF(struct sg_heap_event);
struct sg_heap_collections SG_ROWS_OF(struct sg_heap_collection);

/* Events and collections may be NULL. Events of buckets without a row are left out. */
struct sg_heap_batch {
    const struct sg_heap_entry *entries; /* by bucket id */
    const struct sg_row_batch *rows;
    const struct sg_heap_events *events;
    const struct sg_heap_collections *collections;
};
void sg_heap_messages_put(struct sg_buffer *out, const struct sg_heap_batch *batch);

/* What the writer knows beside the heap profiler's own status. */
struct sg_heap_standing {
    int64_t time_mono_ns; /* of the last drain */
    uint64_t accounted_bytes;
    uint64_t before_attach_bytes;
    struct sg_process_memory resident;
    uint64_t n_collects; /* collections run for clients */
    uint64_t n_unnamed;  /* buckets that wait for names */
    uint64_t n_refused;  /* events that found no room on the way */
    const char *problem; /* why there is no heap profile; "" = there is */
    bool is_native_seen;
    const char *native_problem; /* why it is not; "" = it is, or not known yet */
    uint32_t n_native_libraries;
    uint32_t n_allocators; /* of libraries, that are followed */
    const struct sg_arena_library *arenas;
    size_t n_arenas;
    int64_t start_mono_ns; /* when the allocators were hooked; 0 = they are not */
};
void sg_heap_messages_put_status(struct sg_buffer *out, const struct sg_heap_status *status,
                                 const struct sg_heap_standing *standing);

#endif
