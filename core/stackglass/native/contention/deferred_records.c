/* Deferred records in an MPSC ring: a place has a record, and room behind it for the frames of both
 * stacks, which are copied.
 *
 * n_records counts a record from before it is written until after it has been applied. So a thread
 * that finds 0 has nothing to apply first. */
#include "contention/deferred_records.h"

#include <stdatomic.h>
#include <string.h>

#include "platform/mpsc_ring.h"

/* Set by prepare; the ring says which thread may use a place. */
static struct sg_mpsc_ring ring; /* of records; the tail of each holds the frames of both stacks */
static uint32_t depth;           /* frames of a stack */
static _Atomic uint32_t n_records; /* lock-free */

uint32_t sg_contention_deferred_records_count(void) {
    return atomic_load_explicit(&n_records, memory_order_acquire);
}

static void copy_frames(struct sg_contention_side *side, struct sg_frame *to) {
    if (side->depth)
        memcpy(to, side->frames, side->depth * sizeof *to);
    side->frames = to;
}

bool sg_contention_deferred_records_add(const struct sg_contention_deferred *deferred) {
    uint32_t place = sg_mpsc_ring_take(&ring);
    if (place == SG_MPSC_RING_FULL)
        return false;
    atomic_fetch_add(&n_records, 1);
    struct sg_contention_deferred *copy = sg_mpsc_ring_record(&ring, place);
    struct sg_frame *frames = sg_mpsc_ring_tail(&ring, place);
    *copy = *deferred;
    copy_frames(&copy->record.side, frames);
    copy_frames(&copy->record.other, frames + depth);
    sg_mpsc_ring_publish(&ring, place);
    return true;
}

bool sg_contention_deferred_records_apply(
    void (*apply)(const struct sg_contention_deferred *deferred)) {
    uint32_t place;
    while ((place = sg_mpsc_ring_peek(&ring)) < SG_CONTENTION_DEFERRED_RECORDS) {
        apply(sg_mpsc_ring_record(&ring, place));
        atomic_fetch_sub(&n_records, 1);
        sg_mpsc_ring_pop(&ring);
    }
    return place == SG_MPSC_RING_END;
}

int sg_contention_deferred_records_prepare(void) {
    depth = sg_contention_stacks_depth;
    return sg_mpsc_ring_prepare(&ring, SG_CONTENTION_DEFERRED_RECORDS,
                                sizeof(struct sg_contention_deferred),
                                2 * depth * sizeof(struct sg_frame));
}

void sg_contention_deferred_records_discard(void) {
    sg_mpsc_ring_discard(&ring);
    atomic_store(&n_records, 0);
}
