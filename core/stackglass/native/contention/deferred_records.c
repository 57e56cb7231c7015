/* The MPSC ring of deferred records: see deferred_records.h. */
#include "contention/deferred_records.h"

#include <stdatomic.h>
#include <string.h>

#include "platform/memory.h"
#include "platform/mpsc_ring.h"

/* Set by prepare; the ring says which thread may use a place. */
static struct sg_mpsc_ring ring;
static struct sg_contention_deferred *records;
static struct sg_frame *frames; /* (place, 2, depth): apart, so that short stacks touch few pages */
static uint32_t depth;          /* of the ring's places */
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
    records[place] = *deferred;
    struct sg_frame *copies = frames + (size_t)place * 2 * depth;
    copy_frames(&records[place].record.side, copies);
    copy_frames(&records[place].record.other, copies + depth);
    sg_mpsc_ring_written(&ring, place);
    return true;
}

bool sg_contention_deferred_records_apply(
    void (*apply)(const struct sg_contention_deferred *deferred)) {
    uint32_t place;
    while ((place = sg_mpsc_ring_oldest(&ring)) < SG_CONTENTION_DEFERRED_RECORDS) {
        apply(&records[place]);
        atomic_fetch_sub(&n_records, 1);
        sg_mpsc_ring_pass(&ring);
    }
    return place == SG_MPSC_RING_END;
}

int sg_contention_deferred_records_prepare(void) {
    records = sg_memory_map(SG_CONTENTION_DEFERRED_RECORDS * sizeof *records);
    depth = sg_contention_stacks_depth;
    frames = sg_memory_map(SG_CONTENTION_DEFERRED_RECORDS * 2 * depth * sizeof *frames);
    return records && frames ? sg_mpsc_ring_prepare(&ring, SG_CONTENTION_DEFERRED_RECORDS) : -1;
}

void sg_contention_deferred_records_discard(void) {
    sg_mpsc_ring_discard(&ring);
    sg_memory_unmap(records, SG_CONTENTION_DEFERRED_RECORDS * sizeof *records);
    sg_memory_unmap(frames, SG_CONTENTION_DEFERRED_RECORDS * 2 * depth * sizeof *frames);
    records = NULL;
    frames = NULL;
    atomic_store(&n_records, 0);
}
