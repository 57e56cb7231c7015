/* The MPSC ring of deferred records: see deferred_records.h. */
#include "heap/deferred_records.h"

#include <stdatomic.h>
#include <string.h>

#include "heap/blocks.h"
#include "platform/memory.h"
#include "platform/mpsc_ring.h"

/* Set by prepare, before any hook; the ring says which thread may use a place. */
static struct sg_mpsc_ring ring;
static struct sg_heap_record *records;
static struct sg_frame *frames; /* (place, depth): apart, since records of frees touch none */
static uint32_t depth;          /* of the ring's places */

bool sg_heap_deferred_records_add(const struct sg_heap_record *record) {
    uint32_t place = sg_mpsc_ring_take(&ring);
    if (place == SG_MPSC_RING_FULL)
        return false;
    atomic_fetch_add(&sg_heap_blocks_sieve_state, SG_HEAP_IS_DEFERRED);
    records[place] = *record;
    if (record->kind == SG_HEAP_RECORD_ALLOC) {
        struct sg_frame *copy = frames + (size_t)place * depth;
        memcpy(copy, record->frames, record->depth * sizeof *copy);
        records[place].frames = copy;
    }
    sg_mpsc_ring_written(&ring, place);
    return true;
}

bool sg_heap_deferred_records_apply(void (*apply)(const struct sg_heap_record *record)) {
    uint32_t place;
    while ((place = sg_mpsc_ring_oldest(&ring)) < SG_HEAP_DEFERRED_RECORDS) {
        apply(&records[place]);
        atomic_fetch_sub(&sg_heap_blocks_sieve_state, SG_HEAP_IS_DEFERRED);
        sg_mpsc_ring_pass(&ring);
    }
    return place == SG_MPSC_RING_END;
}

int sg_heap_deferred_records_prepare(void) {
    records = sg_memory_map(SG_HEAP_DEFERRED_RECORDS * sizeof *records);
    depth = sg_heap_capture_depth;
    frames = sg_memory_map(SG_HEAP_DEFERRED_RECORDS * depth * sizeof *frames);
    return records && frames ? sg_mpsc_ring_prepare(&ring, SG_HEAP_DEFERRED_RECORDS) : -1;
}

void sg_heap_deferred_records_discard(void) {
    sg_mpsc_ring_discard(&ring);
    sg_memory_unmap(records, SG_HEAP_DEFERRED_RECORDS * sizeof *records);
    sg_memory_unmap(frames, SG_HEAP_DEFERRED_RECORDS * depth * sizeof *frames);
    records = NULL;
    frames = NULL;
    atomic_fetch_and(&sg_heap_blocks_sieve_state, SG_HEAP_IS_DEFERRED - 1);
}
