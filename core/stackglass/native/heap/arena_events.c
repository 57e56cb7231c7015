/* The ring of arena events, and the interval that keeps most munmap calls out of it.
 *
 *     lowest ├──arena──┤      ├──arena──┤ highest        an munmap outside concerns no arena
 *
 * The interval only grows, by compare-and-swap, before the event of a new arena enters the ring. */
#include "heap/arena_events.h"

#include <stdatomic.h>
#include <string.h>

#include "platform/mpsc_ring.h"

enum { PLACES = 256 };

/* Ring of events; the tail of each has its frames. Set up by prepare while SG_GATE_HEAP is shut.
 * From then on the ring itself decides which thread may use a place. */
static struct sg_mpsc_ring ring;

/* Lock-free. All arenas of the session lie between these. */
static _Atomic uintptr_t lowest = UINTPTR_MAX, highest;
static _Atomic bool has_lost;

static void widen(uintptr_t start, size_t size) {
    uintptr_t low = atomic_load(&lowest), high = atomic_load(&highest);
    while (start < low && !atomic_compare_exchange_weak(&lowest, &low, start))
        ;
    while (start + size > high && !atomic_compare_exchange_weak(&highest, &high, start + size))
        ;
}

void sg_arena_events_add(const struct sg_arena_event *event) {
    if (!event->is_unmap)
        widen(event->start, event->size);
    uint32_t place = sg_mpsc_ring_take(&ring);
    if (place == SG_MPSC_RING_FULL) {
        atomic_store(&has_lost, true);
        return;
    }
    struct sg_arena_event *copy = sg_mpsc_ring_record(&ring, place);
    struct sg_frame *frames = sg_mpsc_ring_tail(&ring, place);
    *copy = *event;
    copy->frames = frames;
    if (event->depth)
        memcpy(frames, event->frames, event->depth * sizeof *frames);
    sg_mpsc_ring_publish(&ring, place);
}

bool sg_arena_events_concern(uintptr_t start, size_t size) {
    return start < atomic_load_explicit(&highest, memory_order_relaxed) &&
           start + size > atomic_load_explicit(&lowest, memory_order_relaxed);
}

bool sg_arena_events_drain(void (*deliver)(const struct sg_arena_event *event)) {
    uint32_t place;
    bool is_whole = !atomic_exchange(&has_lost, false);
    while ((place = sg_mpsc_ring_peek(&ring)) < PLACES) {
        deliver(sg_mpsc_ring_record(&ring, place));
        sg_mpsc_ring_pop(&ring);
    }
    return is_whole;
}

int sg_arena_events_prepare(void) {
    return sg_mpsc_ring_prepare(&ring, PLACES, sizeof(struct sg_arena_event),
                                sg_heap_capture_depth * sizeof(struct sg_frame));
}

void sg_arena_events_discard(void) {
    sg_mpsc_ring_discard(&ring);
    atomic_store(&lowest, UINTPTR_MAX);
    atomic_store(&highest, 0);
    atomic_store(&has_lost, false);
}
