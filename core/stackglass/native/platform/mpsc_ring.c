/* Vyukov's bounded queue: a sequence number at each place says whether the place can be written or
 * read. */
#include "platform/mpsc_ring.h"

#include <stddef.h>

#include "platform/memory.h"

static _Atomic uint32_t *seq_at(struct sg_mpsc_ring *ring, uint32_t at) {
    return &ring->seqs[at & (ring->capacity - 1)];
}

uint32_t sg_mpsc_ring_take(struct sg_mpsc_ring *ring) {
    uint32_t at = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (!ring->seqs)
        return SG_MPSC_RING_FULL;
    for (;;) {
        uint32_t seq = atomic_load_explicit(seq_at(ring, at), memory_order_acquire);
        int32_t ahead = (int32_t)(seq - at);
        if (ahead < 0) /* the record of the last round has not been read yet */
            return SG_MPSC_RING_FULL;
        if (ahead > 0) /* another thread has taken this place */
            at = atomic_load_explicit(&ring->head, memory_order_relaxed);
        else if (atomic_compare_exchange_weak(&ring->head, &at, at + 1))
            return at & (ring->capacity - 1);
    }
}

void sg_mpsc_ring_publish(struct sg_mpsc_ring *ring, uint32_t place) {
    atomic_fetch_add_explicit(&ring->seqs[place], 1, memory_order_release);
}

uint32_t sg_mpsc_ring_peek(struct sg_mpsc_ring *ring) {
    if (!ring->seqs || atomic_load(&ring->head) == ring->oldest)
        return SG_MPSC_RING_END;
    if (atomic_load_explicit(seq_at(ring, ring->oldest), memory_order_acquire) != ring->oldest + 1)
        return SG_MPSC_RING_UNWRITTEN;
    return ring->oldest & (ring->capacity - 1);
}

void sg_mpsc_ring_pop(struct sg_mpsc_ring *ring) {
    atomic_store_explicit(seq_at(ring, ring->oldest), ring->oldest + ring->capacity,
                          memory_order_release);
    ring->oldest++;
}

int sg_mpsc_ring_prepare(struct sg_mpsc_ring *ring, uint32_t capacity, size_t record_bytes,
                         size_t tail_bytes) {
    ring->capacity = capacity;
    ring->record_bytes = record_bytes;
    ring->tail_bytes = tail_bytes;
    ring->records = sg_memory_map(capacity * record_bytes);
    ring->tails = sg_memory_map(capacity * tail_bytes);
    ring->seqs = ring->records && ring->tails ? sg_memory_map(capacity * sizeof *ring->seqs) : NULL;
    if (!ring->seqs)
        return -1;
    for (uint32_t i = 0; i < capacity; i++)
        atomic_store(&ring->seqs[i], i);
    return 0;
}

void sg_mpsc_ring_discard(struct sg_mpsc_ring *ring) {
    SG_MEMORY_DROP(ring->seqs, ring->capacity * sizeof *ring->seqs);
    SG_MEMORY_DROP(ring->records, ring->capacity * ring->record_bytes);
    SG_MEMORY_DROP(ring->tails, ring->capacity * ring->tail_bytes);
    atomic_store(&ring->head, 0);
    ring->oldest = 0;
}
