/* Places for notes that wait for a claim: many write, the holder of the claim reads.
 *
 *     place i:  seq = i ──take──▶ (writing) ──written: i + 1──▶ ──pass──▶ seq = i + capacity
 *
 * What stands in a place is its owner's; this says whose turn it is. Lock-free; nobody waits for
 * anybody. */
#ifndef STACKGLASS_PLATFORM_MPSC_RING_H
#define STACKGLASS_PLATFORM_MPSC_RING_H

#include <stdatomic.h>
#include <stdint.h>

/* All zero: not prepared. */
struct sg_mpsc_ring {
    _Atomic uint32_t *seqs; /* (capacity,) set by prepare, before any note */
    uint32_t capacity;      /* a power of two */
    _Atomic uint32_t head;  /* the next to be written */
    uint32_t tail;          /* the next to be read; guarded by the claim */
};

/* No places, none of which there are that many. */
static const uint32_t SG_NOTES_FULL = UINT32_MAX;      /* or not prepared */
static const uint32_t SG_NOTES_UNWRITTEN = UINT32_MAX; /* the oldest is still being written */
static const uint32_t SG_NOTES_END = UINT32_MAX - 1;   /* there are none */

/* A place to write into, or SG_NOTES_FULL. Any thread, async-signal-safe. Then it is written. */
uint32_t sg_mpsc_ring_take(struct sg_mpsc_ring *ring);
void sg_mpsc_ring_written(struct sg_mpsc_ring *ring, uint32_t place);

/* The oldest note's place, or SG_NOTES_UNWRITTEN or SG_NOTES_END; and it has been read. By the
 * holder of the claim. */
uint32_t sg_mpsc_ring_oldest(struct sg_mpsc_ring *ring);
void sg_mpsc_ring_pass(struct sg_mpsc_ring *ring);

/* 0 or -1; and back. Nobody else is at work. */
int sg_mpsc_ring_prepare(struct sg_mpsc_ring *ring, uint32_t capacity);
void sg_mpsc_ring_discard(struct sg_mpsc_ring *ring);

#endif
