/* SPSC ring: items by value. */
#include "platform/spsc_ring.h"

#include <string.h>

#include "platform/memory.h"

static void *item_at(const struct sg_spsc_ring *ring, uint32_t at) {
    return ring->items + (at & (ring->capacity - 1)) * ring->item_bytes;
}

bool sg_spsc_ring_put(struct sg_spsc_ring *ring, const void *item) {
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    if (!ring->items || head - tail >= ring->capacity)
        return false;
    memcpy(item_at(ring, head), item, ring->item_bytes);
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
    return true;
}

uint32_t sg_spsc_ring_count(const struct sg_spsc_ring *ring) {
    return atomic_load_explicit(&ring->head, memory_order_acquire) -
           atomic_load_explicit(&ring->tail, memory_order_relaxed);
}

void sg_spsc_ring_get(struct sg_spsc_ring *ring, void *item) {
    uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    memcpy(item, item_at(ring, tail), ring->item_bytes);
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
}

int sg_spsc_ring_prepare(struct sg_spsc_ring *ring, size_t item_bytes, uint32_t capacity) {
    ring->item_bytes = item_bytes;
    ring->capacity = capacity;
    ring->items = sg_memory_map(capacity * item_bytes);
    return ring->items ? 0 : -1;
}

void sg_spsc_ring_discard(struct sg_spsc_ring *ring) {
    SG_MEMORY_DROP(ring->items, ring->capacity * ring->item_bytes);
    atomic_store(&ring->head, 0);
    atomic_store(&ring->tail, 0);
}
