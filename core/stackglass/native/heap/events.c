/* The open events are a direct-mapped cache in front of the ring:
 *
 *     sample ─▶ open[hash of bucket, kind, thread] ──same key and time unit──▶ count + 1
 *                     └──other key or unit──▶ the old event goes to the ring, the new one stays
 *
 * Two keys that share a slot take more places in the ring; the sums stay exact. */
#include "heap/events.h"

#include <stdatomic.h>

#include "platform/memory.h"
#include "platform/spsc_ring.h"

/* Allocated by prepare while SG_GATE_HEAP is shut. The claim guards `open`. */
static struct sg_heap_event *open;
static struct sg_spsc_ring events, collections;
static _Atomic uint64_t n_lost; /* lock-free */

static void close_event(struct sg_heap_event *event) {
    if (!event->count)
        return;
    if (!sg_spsc_ring_put(&events, event))
        atomic_fetch_add_explicit(&n_lost, event->count, memory_order_relaxed);
    event->count = 0;
}

void sg_heap_events_add(const struct sg_heap_event *event) {
    uint32_t at = (event->bucket * 2 + event->is_free + (uint32_t)event->tid * 31);
    struct sg_heap_event *slot = &open[at % SG_HEAP_OPEN_EVENTS];
    if (slot->count && slot->time == event->time && slot->bucket == event->bucket &&
        slot->tid == event->tid && slot->is_free == event->is_free) {
        slot->count++;
        slot->bytes += event->bytes;
        return;
    }
    close_event(slot);
    *slot = *event;
    slot->count = 1;
}

void sg_heap_events_close(void) {
    for (int i = 0; open && i < SG_HEAP_OPEN_EVENTS; i++)
        close_event(&open[i]);
}

void sg_heap_events_drain(sg_heap_event_fn *deliver, void *context) {
    size_t n = sg_spsc_ring_count(&events);
    for (size_t i = 0; i < n; i++) {
        struct sg_heap_event event;
        sg_spsc_ring_get(&events, &event);
        deliver(context, &event);
    }
}

void sg_heap_events_collections_add(const struct sg_heap_collection *collection) {
    if (!sg_spsc_ring_put(&collections, collection))
        atomic_fetch_add(&n_lost, 1);
}

void sg_heap_events_collections_drain(sg_heap_collection_fn *deliver, void *context) {
    size_t n = sg_spsc_ring_count(&collections);
    for (size_t i = 0; i < n; i++) {
        struct sg_heap_collection collection;
        sg_spsc_ring_get(&collections, &collection);
        deliver(context, &collection);
    }
}

uint64_t sg_heap_events_lost(void) { return atomic_load(&n_lost); }

int sg_heap_events_prepare(void) {
    open = sg_memory_map(SG_HEAP_OPEN_EVENTS * sizeof *open);
    return open && !sg_spsc_ring_prepare(&events, sizeof *open, SG_HEAP_EVENTS) &&
                   !sg_spsc_ring_prepare(&collections, sizeof(struct sg_heap_collection),
                                         SG_HEAP_COLLECTIONS)
               ? 0
               : -1;
}

void sg_heap_events_discard(void) {
    SG_MEMORY_DROP(open, SG_HEAP_OPEN_EVENTS * sizeof *open);
    sg_spsc_ring_discard(&events);
    sg_spsc_ring_discard(&collections);
    atomic_store(&n_lost, 0);
}
