/* SPSC ring of events, from one writer at a time to one reader. */
#ifndef STACKGLASS_PLATFORM_SPSC_RING_H
#define STACKGLASS_PLATFORM_SPSC_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sg_spsc_ring {
    char *items; /* NULL = not prepared */
    size_t item_bytes;
    uint32_t capacity;     /* a power of two */
    _Atomic uint32_t head; /* written by the writer */
    _Atomic uint32_t tail; /* written by the reader */
};

/* Append an event; called by the writer. Returns false if there is no room, or no ring. */
bool sg_spsc_ring_put(struct sg_spsc_ring *ring, const void *item);
/* Called by the reader: return the number of events; copy and remove the oldest event. */
uint32_t sg_spsc_ring_count(const struct sg_spsc_ring *ring);
void sg_spsc_ring_get(struct sg_spsc_ring *ring, void *item);

/* Map and unmap the ring while no other thread uses it. Returns 0, or -1 if memory runs out. */
int sg_spsc_ring_prepare(struct sg_spsc_ring *ring, size_t item_bytes, uint32_t capacity);
void sg_spsc_ring_discard(struct sg_spsc_ring *ring);

#endif
