/* Census stream: from a census to the message for the clients that requested it.
 *
 *     slices ─▶ census ──types, blocks by bucket and type──▶ columns ──all buckets known──▶ message
 *
 * Owned by the writer, except the census, which the worker owns during a job. */
#ifndef STACKGLASS_WIRE_CENSUS_STREAM_H
#define STACKGLASS_WIRE_CENSUS_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/vector.h"
#include "wire/clients.h"
#include "wire/heap_stream.h"
#include "wire/intern.h"

/* Objects of a type, or sampled blocks of a bucket and type. */
struct sg_census_sum {
    uint32_t type;   /* string */
    uint32_t bucket; /* id, not row */
    uint64_t count, bytes;
};

struct sg_census_sums SG_ROWS_OF(struct sg_census_sum);

struct sg_published_census {
    int64_t time_mono_ns;
    uint64_t duration_ns, longest_hold_ns, longest_cpu_ns, n_objects, n_unnamed;
    uint32_t n_slices, n_restarts;
    bool is_whole;
    const char *problem; /* static; "" = none */
    struct sg_census_sums types, sites;
};

struct sg_census_stream {
    bool is_ready;    /* `result` is to be sent */
    int64_t due_ns;   /* when it is sent even if buckets have no names */
    int64_t begun_ns; /* of a census in progress; 0 = none */
    uint64_t longest_hold_ns, longest_cpu_ns;
    struct sg_published_census result;
};

/* A slice is done: for how long it held the GIL, and its CPU time. */
void sg_census_stream_take(struct sg_census_stream *stream, struct sg_intern *intern,
                           uint64_t held_ns, uint64_t cpu_ns);
/* Send it to the clients that requested it, once all buckets that it refers to were sent. Behind
 * the Batch with its strings. */
void sg_census_stream_send(struct sg_census_stream *stream, const struct sg_heap_stream *heap,
                           struct sg_clients *clients);
/* Whether a slice is due: a client that has all definitions has requested a census. */
bool sg_census_stream_wants(const struct sg_census_stream *stream,
                            const struct sg_heap_stream *heap, const struct sg_clients *clients);
void sg_census_stream_close(struct sg_census_stream *stream);

#endif
