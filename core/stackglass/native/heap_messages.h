/* Heap messages as framed bytes, appended to a buffer. See wire.proto. No state, any thread. */
#ifndef STACKGLASS_HEAP_MESSAGES_H
#define STACKGLASS_HEAP_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "column.h"
#include "encode.h"
#include "heap.h"
#include "resident.h"

enum { SG_NO_ROW = UINT32_MAX };

/* One bucket as a session knows it. */
struct sg_heap_entry {
    struct sg_heap_bucket bucket; /* its frames: until it has a row; owned */
    uint32_t row;                 /* on the wire; SG_NO_ROW = it has no names yet */
    uint32_t node;
    uint32_t turn; /* of the last change */
    bool is_changed;
    uint64_t accounted_bytes; /* what its live samples stand for */
};

struct sg_heap_events {
    struct sg_column bucket, tid, time, count, is_free; /* bucket: id, not row */
    struct sg_wide_column bytes;
};

struct sg_heap_collections {
    struct sg_column generation, tid;
    struct sg_wide_column start_mono_ns, pause_ns, collected, uncollectable;
};

/* Where the entries of rows [first_row, end_row) are: definitions; and those of `changed` rows
 * (their values). Events and collections may be NULL. Events of buckets without a row are left
 * out. */
struct sg_heap_batch {
    const struct sg_heap_entry *entries;
    const uint32_t *rows; /* by row: index of entries */
    uint32_t first_row, end_row;
    const uint32_t *changed; /* (n_changed,): rows */
    size_t n_changed;
    const struct sg_heap_events *events;
    const struct sg_heap_collections *collections;
};
void sg_put_heap(struct sg_buffer *out, const struct sg_heap_batch *batch);

/* What the writer knows beside the heap profiler's own status. */
struct sg_heap_standing {
    int64_t time_mono_ns; /* of the last drain */
    uint64_t accounted_bytes;
    uint64_t before_attach_bytes;
    struct sg_resident resident;
    uint64_t n_collects; /* that clients have asked for and got */
    uint64_t n_unnamed;  /* buckets that wait for names */
    uint64_t n_refused;  /* events that found no room on the way */
    const char *problem; /* why there is no heap profile; "" = there is */
    bool is_native_seen;
    const char *native_problem; /* why it is not; "" = it is, or nobody knows yet */
    uint32_t n_native_libraries;
};
void sg_put_heap_status(struct sg_buffer *out, const struct sg_heap_status *status,
                        const struct sg_heap_standing *standing);

bool sg_heap_events_put(struct sg_heap_events *events, const struct sg_heap_event *event);
/* Forget those whose bucket has a row; the others stay. */
void sg_heap_events_drop_sent(struct sg_heap_events *events, const struct sg_heap_entry *entries);
void sg_heap_events_free(struct sg_heap_events *events);

bool sg_heap_collections_put(struct sg_heap_collections *collections,
                             const struct sg_heap_collection *collection);
void sg_heap_collections_clear(struct sg_heap_collections *collections);
void sg_heap_collections_free(struct sg_heap_collections *collections);

#endif
