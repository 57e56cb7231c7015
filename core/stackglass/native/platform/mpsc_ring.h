/* MPSC ring: places for deferred records, written by many threads and read by one thread at a time,
 * which holds the caller's claim.
 *
 *     place i:  seq = i ──take──▶ (writing) ──publish──▶ seq = i + 1 ──pop──▶ seq = i + capacity
 *
 * A place has a record, and memory for what the record points to (its tail). The tails are an array
 * of their own, so that records without a tail touch few pages. Lock-free; no thread waits for
 * another. */
#ifndef STACKGLASS_PLATFORM_MPSC_RING_H
#define STACKGLASS_PLATFORM_MPSC_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* A ring that is not prepared is all zero. */
struct sg_mpsc_ring {
    /* Set by prepare. */
    _Atomic uint32_t *seqs; /* (capacity,) */
    char *records, *tails;  /* (capacity,) each */
    size_t record_bytes, tail_bytes;
    uint32_t capacity; /* a power of two */

    _Atomic uint32_t head; /* number of the next record to be written */
    uint32_t oldest;       /* number of the next one to be read; guarded by the caller's claim */
};

/* Results that are not places. */
static const uint32_t SG_MPSC_RING_FULL = UINT32_MAX;      /* or not prepared */
static const uint32_t SG_MPSC_RING_UNWRITTEN = UINT32_MAX; /* the oldest record is being written */
static const uint32_t SG_MPSC_RING_END = UINT32_MAX - 1;   /* the ring is empty */

/* Take a place to write to; returns SG_MPSC_RING_FULL if there is none. Once the record is
 * complete, call `publish`. Any thread, async-signal-safe. */
uint32_t sg_mpsc_ring_take(struct sg_mpsc_ring *ring);
void sg_mpsc_ring_publish(struct sg_mpsc_ring *ring, uint32_t place);

/* Return the place of the oldest record, SG_MPSC_RING_UNWRITTEN or SG_MPSC_RING_END. Once the
 * record has been read, call `pop`. Called by the holder of the claim. */
uint32_t sg_mpsc_ring_peek(struct sg_mpsc_ring *ring);
void sg_mpsc_ring_pop(struct sg_mpsc_ring *ring);

/* Return the record of a place, or its tail. */
static inline void *sg_mpsc_ring_record(const struct sg_mpsc_ring *ring, uint32_t place) {
    return ring->records + place * ring->record_bytes;
}
static inline void *sg_mpsc_ring_tail(const struct sg_mpsc_ring *ring, uint32_t place) {
    return ring->tails + place * ring->tail_bytes;
}

/* Map and unmap the ring while no other thread uses it. Returns 0, or -1 if memory runs out. */
int sg_mpsc_ring_prepare(struct sg_mpsc_ring *ring, uint32_t capacity, size_t record_bytes,
                         size_t tail_bytes);
void sg_mpsc_ring_discard(struct sg_mpsc_ring *ring);

#endif
