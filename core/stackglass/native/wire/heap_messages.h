/* Heap messages: encodes the heap profile as framed bytes (wire.proto), appended to a buffer. The
 * functions have no state; any thread may call them. */
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

/* A bucket of the heap profile, as it is sent. */
struct sg_heap_entry {
    struct sg_heap_bucket bucket; /* without its frames */
    uint64_t accounted_bytes;     /* bytes that its live samples stand for */
};

struct sg_heap_events SG_ROWS_OF(struct sg_heap_event);
struct sg_heap_collections SG_ROWS_OF(struct sg_heap_collection);

/* The content of one message. Events and collections may be NULL. Events of buckets without a row
 * are left out. */
struct sg_heap_batch {
    const struct sg_heap_entry *entries; /* by bucket id */
    const struct sg_row_batch *rows;
    const struct sg_heap_events *events;
    const struct sg_heap_collections *collections;
};
void sg_heap_messages_put(struct sg_buffer *out, const struct sg_heap_batch *batch);

/* The writer's part of the status; struct sg_heap_status has the profiler's. */
struct sg_heap_standing {
    int64_t time_mono_ns; /* time of the last drain */
    uint64_t accounted_bytes;
    uint64_t before_attach_bytes;
    struct sg_process_memory resident;
    uint64_t n_collects; /* collections run for clients */
    uint64_t n_unnamed;  /* buckets that wait for names of code */
    uint64_t n_refused;  /* samples and collections for which the writer had no room */
    const char *problem; /* why there is no heap profile; "" = there is one */
    bool is_native_seen;
    const char *native_problem; /* why native memory is not sampled; "" = it is, or not known yet */
    uint32_t n_native_libraries;
    uint32_t n_allocators; /* allocators of libraries that are followed */
    const struct sg_arena_library *arenas;
    size_t n_arenas;
    int64_t start_mono_ns; /* when the allocators were hooked; 0 = they are not hooked */
};
void sg_heap_messages_put_status(struct sg_buffer *out, const struct sg_heap_status *status,
                                 const struct sg_heap_standing *standing);

#endif
