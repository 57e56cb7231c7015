/* A census on its way to the clients who asked for one.
 *
 *     slices ─▶ census ──types, blocks by bucket and type──▶ columns ──all buckets known──▶ message
 *
 * The writer's alone, but for the census, which is the symboliser's during a job. */
#ifndef STACKGLASS_WIRE_CENSUS_STREAM_H
#define STACKGLASS_WIRE_CENSUS_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/vector.h"
#include "wire/clients.h"
#include "wire/heap_stream.h"
#include "wire/intern.h"

struct sg_published_census {
    int64_t time_mono_ns;
    uint64_t duration_ns, longest_hold_ns, longest_cpu_ns, n_objects, n_untold;
    uint32_t n_slices, n_restarts;
    bool is_whole;
    const char *problem; /* static; "" = none */
    struct sg_vector type_name;
    struct sg_wide_vector type_count, type_bytes;
    struct sg_vector site_bucket, site_type; /* bucket: id, not row */
    struct sg_wide_vector site_count, site_bytes;
};

struct sg_census_stream {
    bool is_ready;    /* `told` is to be sent */
    int64_t due_ns;   /* when it is sent whatever the buckets are like */
    int64_t begun_ns; /* of the slices that are under way; 0 = none */
    uint64_t longest_hold_ns, longest_cpu_ns;
    struct sg_published_census told;
};

/* A slice has come back, which kept the GIL for so long, and worked for so long. */
void sg_census_stream_take(struct sg_census_stream *feed, struct sg_intern *intern,
                           uint64_t held_ns, uint64_t cpu_ns);
/* Tell those who want it, if all buckets that it refers to have been told. Behind the Batch with
 * its strings. */
void sg_census_stream_send(struct sg_census_stream *feed, const struct sg_heap_stream *heap,
                           struct sg_clients *clients);
/* Whether a slice is wanted: by those who know all that it could refer to. */
bool sg_census_stream_wants(const struct sg_census_stream *feed, const struct sg_heap_stream *heap,
                            const struct sg_clients *clients);
void sg_census_stream_close(struct sg_census_stream *feed);

#endif
