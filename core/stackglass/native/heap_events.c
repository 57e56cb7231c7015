/* Rings for timelines: see heap_events.h. */
#include "heap_events.h"

#include <stdatomic.h>
#include <string.h>

#include "memory.h"

/* Set by prepare, before any hook. `open` is guarded by the claim. A ring's head is its writer's,
 * its tail its reader's; each is read by the other. */
static struct sg_heap_event *open;
static struct sg_heap_event *events;
static struct sg_heap_collection *collections;
static _Atomic uint32_t events_head, events_tail;
static _Atomic uint32_t collections_head, collections_tail;
static _Atomic uint64_t n_lost; /* lock-free */

static bool has_room(_Atomic uint32_t *head, _Atomic uint32_t *tail, uint32_t capacity) {
    return atomic_load_explicit(head, memory_order_relaxed) -
               atomic_load_explicit(tail, memory_order_acquire) <
           capacity;
}

static void close_event(struct sg_heap_event *event) {
    if (!event->count)
        return;
    if (has_room(&events_head, &events_tail, SG_HEAP_EVENTS)) {
        uint32_t at = atomic_load_explicit(&events_head, memory_order_relaxed);
        events[at % SG_HEAP_EVENTS] = *event;
        atomic_store_explicit(&events_head, at + 1, memory_order_release);
    } else {
        atomic_fetch_add_explicit(&n_lost, event->count, memory_order_relaxed);
    }
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

size_t sg_heap_events_drain(sg_heap_event_fn *deliver, void *context) {
    uint32_t head = atomic_load_explicit(&events_head, memory_order_acquire);
    uint32_t tail = atomic_load_explicit(&events_tail, memory_order_relaxed);
    size_t n = head - tail;
    for (; tail != head; tail++) {
        struct sg_heap_event event = events[tail % SG_HEAP_EVENTS];
        atomic_store_explicit(&events_tail, tail + 1, memory_order_release);
        deliver(context, &event);
    }
    return n;
}

void sg_heap_collections_add(const struct sg_heap_collection *collection) {
    if (!collections || !has_room(&collections_head, &collections_tail, SG_HEAP_COLLECTIONS)) {
        atomic_fetch_add(&n_lost, 1);
        return;
    }
    uint32_t at = atomic_load_explicit(&collections_head, memory_order_relaxed);
    collections[at % SG_HEAP_COLLECTIONS] = *collection;
    atomic_store_explicit(&collections_head, at + 1, memory_order_release);
}

size_t sg_heap_collections_drain(sg_heap_collection_fn *deliver, void *context) {
    uint32_t head = atomic_load_explicit(&collections_head, memory_order_acquire);
    uint32_t tail = atomic_load_explicit(&collections_tail, memory_order_relaxed);
    size_t n = head - tail;
    for (; tail != head; tail++) {
        struct sg_heap_collection collection = collections[tail % SG_HEAP_COLLECTIONS];
        atomic_store_explicit(&collections_tail, tail + 1, memory_order_release);
        deliver(context, &collection);
    }
    return n;
}

uint64_t sg_heap_events_lost(void) { return atomic_load(&n_lost); }

int sg_heap_events_prepare(void) {
    open = sg_memory_map(SG_HEAP_OPEN_EVENTS * sizeof *open);
    events = sg_memory_map(SG_HEAP_EVENTS * sizeof *events);
    collections = sg_memory_map(SG_HEAP_COLLECTIONS * sizeof *collections);
    return open && events && collections ? 0 : -1;
}

void sg_heap_events_discard(void) {
    sg_memory_unmap(open, SG_HEAP_OPEN_EVENTS * sizeof *open);
    sg_memory_unmap(events, SG_HEAP_EVENTS * sizeof *events);
    sg_memory_unmap(collections, SG_HEAP_COLLECTIONS * sizeof *collections);
    open = NULL;
    events = NULL;
    collections = NULL;
    atomic_store(&events_head, 0);
    atomic_store(&events_tail, 0);
    atomic_store(&collections_head, 0);
    atomic_store(&collections_tail, 0);
    atomic_store(&n_lost, 0);
}
