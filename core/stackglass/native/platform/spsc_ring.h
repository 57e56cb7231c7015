/* A ring of things that have happened, from one writer (or one at a time) to one reader. */
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
    _Atomic uint32_t head; /* the writer's, read by the reader */
    _Atomic uint32_t tail; /* the other way round */
};

/* False if there is no room, or no ring. The writer. */
bool sg_spsc_ring_put(struct sg_spsc_ring *ring, const void *item);
/* How many there are, and a copy of the oldest of them, which is then gone. The reader. */
uint32_t sg_spsc_ring_count(const struct sg_spsc_ring *ring);
void sg_spsc_ring_get(struct sg_spsc_ring *ring, void *item);

/* 0 or -1; and back. Nobody else is at work. */
int sg_spsc_ring_prepare(struct sg_spsc_ring *ring, size_t item_bytes, uint32_t capacity);
void sg_spsc_ring_discard(struct sg_spsc_ring *ring);

#endif
