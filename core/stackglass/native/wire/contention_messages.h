/* Contention messages: encodes contention as framed bytes (wire.proto), appended to a buffer. The
 * functions have no state; any thread may call them. */
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

/* A bucket of contention, in whole numbers. Most of its 64 delays are 0: only delays with a set bit
 * are stored, in order. */
struct sg_contention_entry {
    uint32_t kind, primitive, lock; /* primitive: string */
    uint32_t labels, other_labels;  /* label sets of the two stacks */
    uint64_t count, total_ns, max_ns;
    uint64_t delay_bits;
    uint64_t *delays;      /* (number of set bits,); owned */
    uint64_t changed_bits; /* delays that changed since the last message */
};

/* Return the count of delays from 2**log2 ns up to twice that. Their bit in delay_bits must be
 * set. */
static inline uint64_t sg_contention_messages_delay(const struct sg_contention_entry *entry,
                                                    int log2) {
    uint64_t before = entry->delay_bits & ((UINT64_C(1) << log2) - 1);
    return entry->delays[__builtin_popcountll(before)];
}

/* An event of the timeline, in whole numbers. */
struct sg_published_event {
    uint32_t bucket, tid, time; /* bucket: its id, not its row */
    uint64_t count, ns;
};
struct sg_contention_events SG_ROWS_OF(struct sg_published_event);

struct sg_published_lock {
    uint64_t address;
    uint32_t primitive; /* string */
    uint32_t name;      /* string, as the next two; SG_STRING_EMPTY = not known */
    uint32_t made;      /* where it was made: "FILE:LINE" */
    uint32_t waited;    /* where a thread waited for it for the first time */
    uint32_t placed;    /* bits: which of these two are final (contention_stream.c) */
    bool is_settled;    /* a client need not wait for its name; a better one may still follow */
};
/* Locks by number; row 0 stands for none. */
struct sg_published_locks SG_ROWS_OF(struct sg_published_lock);

/* The content of one message. `rows` and `events` may be NULL. `is_whole`: the message has every
 * delay of the rows, not only the changed ones. */
struct sg_contention_batch {
    const struct sg_published_locks *locks;
    uint32_t first_lock, end_lock;             /* locks that the message defines */
    const struct sg_vector *named;             /* locks with new names; NULL = none */
    const struct sg_contention_entry *entries; /* by bucket id */
    const struct sg_row_batch *rows;
    const struct sg_contention_events *events;
    bool is_whole;
};
void sg_contention_messages_put(struct sg_buffer *out, const struct sg_contention_batch *batch);

/* The writer's part of the status; struct sg_contention_status has the profiler's. */
struct sg_contention_standing {
    int64_t time_mono_ns; /* time of the last drain */
    uint64_t n_unnamed;   /* buckets that wait for names of code */
    uint64_t n_refused;   /* events for which the writer had no room */
    struct sg_requested_rates requested;
    /* how locks and the GIL are observed; "" = they are not */
    const char *lock_source, *gil_source;
    /* why they are not observed; "" = they are, or it was not requested */
    const char *problem, *gil_problem;
    const char *tasks_problem; /* why waits of asyncio's tasks may be missing; "" = none is */
    int64_t start_mono_ns;     /* when locks were hooked; 0 = they are not hooked */
    /* Number and time of all lock waits since then, and the scaled time of the waits that the block
     * rate has sampled. */
    uint64_t n_lock_waits, lock_waited_ns, lock_sampled_ns;
};
void sg_contention_messages_put_status(struct sg_buffer *out,
                                       const struct sg_contention_status *status,
                                       const struct sg_contention_standing *standing);

#endif
