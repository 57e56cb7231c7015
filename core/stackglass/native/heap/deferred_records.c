/* Notes for the holder of the claim: see deferred_records.h. */
#include "heap/deferred_records.h"

#include <stdatomic.h>
#include <string.h>

#include "heap/blocks.h"
#include "platform/memory.h"
#include "platform/mpsc_ring.h"

typedef struct sg_frame note_frames[SG_HEAP_DEPTH];

/* Set by prepare, before any hook; the ring says whose a place is. */
static struct sg_mpsc_ring ring;
static struct sg_heap_record *notes;
static note_frames *frames; /* apart: the notes of frees need none, and touch none */

bool sg_heap_deferred_records_add(const struct sg_heap_record *note) {
    uint32_t place = sg_mpsc_ring_take(&ring);
    if (place == SG_NOTES_FULL)
        return false;
    atomic_fetch_add(&sg_heap_blocks_sieve_state, SG_HEAP_NOTE_WAITS);
    notes[place] = *note;
    if (note->kind == SG_NOTE_ALLOC) {
        memcpy(frames[place], note->frames, note->depth * sizeof *note->frames);
        notes[place].frames = frames[place];
    }
    sg_mpsc_ring_written(&ring, place);
    return true;
}

bool sg_heap_deferred_records_apply(void (*work_off)(const struct sg_heap_record *note)) {
    uint32_t place;
    while ((place = sg_mpsc_ring_oldest(&ring)) < SG_HEAP_NOTES) {
        work_off(&notes[place]);
        atomic_fetch_sub(&sg_heap_blocks_sieve_state, SG_HEAP_NOTE_WAITS);
        sg_mpsc_ring_pass(&ring);
    }
    return place == SG_NOTES_END;
}

int sg_heap_deferred_records_prepare(void) {
    notes = sg_memory_map(SG_HEAP_NOTES * sizeof *notes);
    frames = sg_memory_map(SG_HEAP_NOTES * sizeof *frames);
    return notes && frames ? sg_mpsc_ring_prepare(&ring, SG_HEAP_NOTES) : -1;
}

void sg_heap_deferred_records_discard(void) {
    sg_mpsc_ring_discard(&ring);
    sg_memory_unmap(notes, SG_HEAP_NOTES * sizeof *notes);
    sg_memory_unmap(frames, SG_HEAP_NOTES * sizeof *frames);
    notes = NULL;
    frames = NULL;
    atomic_fetch_and(&sg_heap_blocks_sieve_state, SG_HEAP_NOTE_WAITS - 1);
}
