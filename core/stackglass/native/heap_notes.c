/* Notes for the holder of the claim: see heap_notes.h. */
#include "heap_notes.h"

#include <stdatomic.h>
#include <string.h>

#include "heap_blocks.h"
#include "memory.h"

_Atomic uint32_t sg_heap_n_notes; /* lock-free */

struct cell {
    _Atomic uint32_t seq;
    struct sg_heap_note note;
};
typedef struct sg_frame cell_frames[SG_HEAP_DEPTH];

/* Set by prepare, before any hook; the cells' own numbers say whose they are. */
static struct cell *cells;
static cell_frames *frames;   /* apart: the notes of frees need none, and touch none */
static _Atomic uint32_t head; /* the next to be written */
static uint32_t tail;         /* the next to be read; guarded by the claim */

bool sg_heap_notes_leave(const struct sg_heap_note *note) {
    uint32_t at = atomic_load_explicit(&head, memory_order_relaxed);
    struct cell *cell;
    if (!cells)
        return false;
    for (;;) {
        cell = &cells[at % SG_HEAP_NOTES];
        int32_t ahead = (int32_t)(atomic_load_explicit(&cell->seq, memory_order_acquire) - at);
        if (ahead < 0)
            return false; /* full */
        if (ahead > 0)
            at = atomic_load_explicit(&head, memory_order_relaxed);
        else if (atomic_compare_exchange_weak(&head, &at, at + 1))
            break;
    }
    atomic_fetch_add(&sg_heap_n_notes, 1);
    cell->note = *note;
    if (note->kind == SG_NOTE_ALLOC) {
        memcpy(frames[at % SG_HEAP_NOTES], note->frames, note->depth * sizeof *note->frames);
        cell->note.frames = frames[at % SG_HEAP_NOTES];
    }
    atomic_store_explicit(&cell->seq, at + 1, memory_order_release);
    return true;
}

bool sg_heap_notes_work_off(void (*work_off)(const struct sg_heap_note *note)) {
    while (cells && atomic_load(&head) != tail) {
        struct cell *cell = &cells[tail % SG_HEAP_NOTES];
        if (atomic_load_explicit(&cell->seq, memory_order_acquire) != tail + 1)
            return false;
        work_off(&cell->note);
        atomic_fetch_sub(&sg_heap_n_notes, 1);
        atomic_store_explicit(&cell->seq, tail + SG_HEAP_NOTES, memory_order_release);
        tail++;
    }
    return true;
}

int sg_heap_notes_prepare(void) {
    cells = sg_memory_map(SG_HEAP_NOTES * sizeof *cells);
    frames = sg_memory_map(SG_HEAP_NOTES * sizeof *frames);
    if (!cells || !frames)
        return -1;
    for (uint32_t i = 0; i < SG_HEAP_NOTES; i++)
        atomic_store(&cells[i].seq, i);
    return 0;
}

void sg_heap_notes_discard(void) {
    sg_memory_unmap(cells, SG_HEAP_NOTES * sizeof *cells);
    sg_memory_unmap(frames, SG_HEAP_NOTES * sizeof *frames);
    cells = NULL;
    frames = NULL;
    atomic_store(&head, 0);
    tail = 0;
    atomic_store(&sg_heap_n_notes, 0);
}
