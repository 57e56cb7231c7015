/* Contention messages: framed bytes, appended to a buffer. See wire.proto. No state, any thread. */
#ifndef STACKGLASS_WIRE_CONTENTION_MESSAGES_H
#define STACKGLASS_WIRE_CONTENTION_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contention/contention.h"
#include "platform/encoder.h"
#include "platform/vector.h"
#include "wire/requests.h"
#include "wire/row_publisher.h"

/* One bucket of a session, in whole numbers. Most of its 64 delays are 0: only those with a set bit
 * are stored, in order. */
struct sg_contention_entry {
    uint32_t kind, primitive, lock; /* primitive: string */
    uint32_t labels, other_labels;  /* label sets of the two stacks */
    uint64_t count, total_ns, max_ns;
    uint64_t delay_bits;
    uint64_t *delays;      /* (a value a bit,); owned */
    uint64_t changed_bits; /* of delays, since the last message */
};

/* The delay of 2**log2 ns; its bit is set. */
static inline uint64_t sg_contention_messages_delay(const struct sg_contention_entry *entry,
                                                    int log2) {
    uint64_t before = entry->delay_bits & ((UINT64_C(1) << log2) - 1);
    return entry->delays[__builtin_popcountll(before)];
}

/* A part of the timeline, in whole numbers. */
struct sg_published_event {
    uint32_t bucket, tid, time; /* bucket: id, not row */
    uint64_t count, ns;
};
struct sg_contention_events SG_ROWS_OF(struct sg_published_event);

struct sg_published_lock {
    uint64_t address;
    uint32_t primitive; /* string */
    uint32_t name;      /* string; SG_STRING_EMPTY = not known; the next two as well */
    uint32_t made;      /* where: "app.py:12" */
    uint32_t waited;    /* where for the first time */
    uint32_t placed;    /* which of these two are final: contention_stream.c */
    bool is_settled;    /* no better name will come */
};
/* By number, row 0 being none. */
struct sg_published_locks SG_ROWS_OF(struct sg_published_lock);

/* The content of one message. `rows` and `events` may be NULL; `is_whole`: every delay of the rows,
 * not only changed ones. */
struct sg_contention_batch {
    const struct sg_published_locks *locks;
    uint32_t first_lock, end_lock;             /* to be defined */
    const struct sg_vector *named;             /* locks with new names; NULL = none */
    const struct sg_contention_entry *entries; /* by bucket id */
    const struct sg_row_batch *rows;
    const struct sg_contention_events *events;
    bool is_whole;
};
void sg_contention_messages_put(struct sg_buffer *out, const struct sg_contention_batch *batch);

/* The writer's part of the status, beside the contention profiler's own. */
struct sg_contention_standing {
    int64_t time_mono_ns; /* of the last drain */
    uint64_t n_unnamed;   /* buckets that wait for names */
    uint64_t n_refused;   /* events that found no room on the way */
    struct sg_requested_rates requested;
    const char *lock_source, *gil_source; /* how they are observed; "" = they are not */
    const char *problem, *gil_problem;    /* why not; "" = they are, or not requested */
    int64_t start_mono_ns;                /* when locks were hooked; 0 = they are not */
    /* Of all lock waits since then, and of those that the block rate has kept, scaled. */
    uint64_t n_lock_waits, lock_waited_ns, lock_sampled_ns;
};
void sg_contention_messages_put_status(struct sg_buffer *out,
                                       const struct sg_contention_status *status,
                                       const struct sg_contention_standing *standing);

#endif
