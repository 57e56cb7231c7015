/* The timeline: 256 open events, a direct-mapped cache by bucket and thread, then an SPSC ring.
 *
 *     record ─▶ open[hash] ──same key and time unit──▶ count, ns added
 *                  └──any other──▶ the open event goes to the ring, the new one is opened
 *
 * The second half of a wait has time but no count, so an event is empty only if both are 0. */
#include "contention/events.h"

#include <stdatomic.h>

#include "platform/memory.h"
#include "platform/spsc_ring.h"

/* Set by prepare. `open` is guarded by the claim. */
static struct sg_contention_event *open;
static struct sg_spsc_ring events;
static _Atomic uint64_t n_lost; /* lock-free */

static bool is_open(const struct sg_contention_event *event) {
    return event->count > 0 || event->ns > 0;
}

static void close_event(struct sg_contention_event *event) {
    if (!is_open(event))
        return;
    if (!sg_spsc_ring_put(&events, event))
        atomic_fetch_add_explicit(&n_lost, 1, memory_order_relaxed);
    *event = (struct sg_contention_event){0};
}

void sg_contention_events_add(const struct sg_contention_event *event) {
    uint32_t at = event->bucket + (uint32_t)event->tid * 31;
    struct sg_contention_event *slot = &open[at % SG_CONTENTION_OPEN_EVENTS];
    if (is_open(slot) && slot->time == event->time && slot->bucket == event->bucket &&
        slot->tid == event->tid) {
        slot->count += event->count;
        slot->ns += event->ns;
        return;
    }
    close_event(slot);
    *slot = *event;
}

void sg_contention_events_close(void) {
    for (int i = 0; open && i < SG_CONTENTION_OPEN_EVENTS; i++)
        close_event(&open[i]);
}

void sg_contention_events_drain(sg_contention_event_fn *deliver, void *context) {
    size_t n = sg_spsc_ring_count(&events);
    for (size_t i = 0; i < n; i++) {
        struct sg_contention_event event;
        sg_spsc_ring_get(&events, &event);
        deliver(context, &event);
    }
}

uint64_t sg_contention_events_lost(void) { return atomic_load(&n_lost); }

int sg_contention_events_prepare(void) {
    open = sg_memory_map(SG_CONTENTION_OPEN_EVENTS * sizeof *open);
    return open && !sg_spsc_ring_prepare(&events, sizeof *open, SG_CONTENTION_EVENTS) ? 0 : -1;
}

void sg_contention_events_discard(void) {
    SG_MEMORY_DROP(open, SG_CONTENTION_OPEN_EVENTS * sizeof *open);
    sg_spsc_ring_discard(&events);
    atomic_store(&n_lost, 0);
}
