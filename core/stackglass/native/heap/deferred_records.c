/* A place of the ring has a record, and behind the record room for the copied frames of an
 * allocation.
 *
 * A record is counted in the filter's state word from before it is written until after it has been
 * applied. Meanwhile the filter answers "perhaps" for every address, so that no free is overlooked.
 */
#include "heap/deferred_records.h"

#include <stdatomic.h>
#include <string.h>

#include "heap/blocks.h"
#include "platform/mpsc_ring.h"

/* Ring of records; the tail of an allocation's record has its frames. Set up by prepare while
 * SG_GATE_HEAP is shut. From then on the ring itself decides which thread may use a place. */
static struct sg_mpsc_ring ring;

bool sg_heap_deferred_records_add(const struct sg_heap_record *record) {
    uint32_t place = sg_mpsc_ring_take(&ring);
    if (place == SG_MPSC_RING_FULL)
        return false;
    atomic_fetch_add(&sg_heap_blocks_filter_state, SG_HEAP_IS_DEFERRED);
    struct sg_heap_record *copy = sg_mpsc_ring_record(&ring, place);
    *copy = *record;
    if (record->kind == SG_HEAP_RECORD_ALLOC)
        copy->frames = memcpy(sg_mpsc_ring_tail(&ring, place), record->frames,
                              record->depth * sizeof *record->frames);
    sg_mpsc_ring_publish(&ring, place);
    return true;
}

bool sg_heap_deferred_records_apply(void (*apply)(const struct sg_heap_record *record)) {
    uint32_t place;
    while ((place = sg_mpsc_ring_peek(&ring)) < SG_HEAP_DEFERRED_RECORDS) {
        apply(sg_mpsc_ring_record(&ring, place));
        atomic_fetch_sub(&sg_heap_blocks_filter_state, SG_HEAP_IS_DEFERRED);
        sg_mpsc_ring_pop(&ring);
    }
    return place == SG_MPSC_RING_END;
}

int sg_heap_deferred_records_prepare(void) {
    return sg_mpsc_ring_prepare(&ring, SG_HEAP_DEFERRED_RECORDS, sizeof(struct sg_heap_record),
                                sg_heap_capture_depth * sizeof(struct sg_frame));
}

void sg_heap_deferred_records_discard(void) {
    sg_mpsc_ring_discard(&ring);
    atomic_fetch_and(&sg_heap_blocks_filter_state, SG_HEAP_IS_DEFERRED - 1);
}
