/* Census stream: turns the result of a census into the message for the clients that requested it.
 *
 *     slices ─▶ census ──types, blocks by bucket and type──▶ columns ──all buckets known──▶ message
 *
 * The writer owns it. The census itself belongs to the worker during a job. */
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
    uint32_t bucket; /* the bucket's id; its row once the message is built */
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
    bool is_ready;    /* `result` is complete and not sent yet */
    int64_t due_ns;   /* when the result is sent even if buckets have no names */
    int64_t begun_ns; /* begin of a census in progress; 0 = none */
    uint64_t longest_hold_ns, longest_cpu_ns;
    struct sg_published_census result;
};

/* Take the result of a slice: `held_ns` is the time for which it held the GIL, `cpu_ns` its CPU
 * time. */
void sg_census_stream_take(struct sg_census_stream *stream, struct sg_intern *intern,
                           uint64_t held_ns, uint64_t cpu_ns);
/* Send the result to the clients that requested it, once all buckets that it refers to were sent,
 * or after five seconds without the others. Called after the Batch with its strings is sent. */
void sg_census_stream_send(struct sg_census_stream *stream, const struct sg_heap_stream *heap,
                           struct sg_clients *clients);
/* Return whether a slice is due: a census is in progress, or a client that has all definitions has
 * requested one. */
bool sg_census_stream_wants(const struct sg_census_stream *stream,
                            const struct sg_heap_stream *heap, const struct sg_clients *clients);
void sg_census_stream_close(struct sg_census_stream *stream);

#endif
