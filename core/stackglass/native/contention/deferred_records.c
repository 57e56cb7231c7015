/* Notes for the holder of the claim: see deferred_records.h. */
#include "contention/deferred_records.h"

#include <string.h>

#include "platform/memory.h"
#include "platform/mpsc_ring.h"

struct note_frames {
    struct sg_frame side[SG_CONTENTION_DEPTH], other[SG_CONTENTION_DEPTH];
};

/* Set by prepare; the ring says whose a place is. */
static struct sg_mpsc_ring ring;
static struct sg_contention_deferred *notes;
static struct note_frames *frames; /* apart: pages of short stacks stay few */
static _Atomic uint32_t n_notes;   /* lock-free */

uint32_t sg_contention_deferred_records_count(void) {
    return atomic_load_explicit(&n_notes, memory_order_acquire);
}

static void copy_frames(struct sg_contention_side *side, struct sg_frame *to) {
    if (side->depth)
        memcpy(to, side->frames, side->depth * sizeof *to);
    side->frames = to;
}

bool sg_contention_deferred_records_add(const struct sg_contention_deferred *note) {
    uint32_t place = sg_mpsc_ring_take(&ring);
    if (place == SG_NOTES_FULL)
        return false;
    atomic_fetch_add(&n_notes, 1);
    notes[place] = *note;
    copy_frames(&notes[place].record.side, frames[place].side);
    copy_frames(&notes[place].record.other, frames[place].other);
    sg_mpsc_ring_written(&ring, place);
    return true;
}

bool sg_contention_deferred_records_apply(
    void (*work_off)(const struct sg_contention_deferred *note)) {
    uint32_t place;
    while ((place = sg_mpsc_ring_oldest(&ring)) < SG_CONTENTION_NOTES) {
        work_off(&notes[place]);
        atomic_fetch_sub(&n_notes, 1);
        sg_mpsc_ring_pass(&ring);
    }
    return place == SG_NOTES_END;
}

int sg_contention_deferred_records_prepare(void) {
    notes = sg_memory_map(SG_CONTENTION_NOTES * sizeof *notes);
    frames = sg_memory_map(SG_CONTENTION_NOTES * sizeof *frames);
    return notes && frames ? sg_mpsc_ring_prepare(&ring, SG_CONTENTION_NOTES) : -1;
}

void sg_contention_deferred_records_discard(void) {
    sg_mpsc_ring_discard(&ring);
    sg_memory_unmap(notes, SG_CONTENTION_NOTES * sizeof *notes);
    sg_memory_unmap(frames, SG_CONTENTION_NOTES * sizeof *frames);
    notes = NULL;
    frames = NULL;
    atomic_store(&n_notes, 0);
}
