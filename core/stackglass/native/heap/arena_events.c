/* The ring of arena events, and the ranges that keep other munmap calls out of it.
 *
 *     lowest ├──arena──┤      ├──arena──┤ highest        an munmap beside these concerns no arena
 *
 * A range is added before the event of a new arena enters the ring, unless an older range has all
 * of it, and stays until the end of the session. If there are more ranges than places, every munmap
 * between the lowest and the highest counts as one that may concern an arena. */
#include "heap/arena_events.h"

#include <stdatomic.h>
#include <string.h>

#include "platform/mpsc_ring.h"

enum { PLACES = 256, MOST_RANGES = 1024 };

/* Ring of events; the tail of each has its frames. Set up by prepare while SG_GATE_HEAP is shut.
 * From then on the ring itself decides which thread may use a place. */
static struct sg_mpsc_ring ring;

/* Lock-free. All arenas of the session lie between these. */
static _Atomic uintptr_t lowest = UINTPTR_MAX, highest;

/* Lock-free. A range that is not written yet is empty; its arena is not known to the program. */
static struct { _Atomic uintptr_t start, end; } ranges[MOST_RANGES];
static _Atomic uint32_t n_ranges; /* MOST_RANGES + 1 = there were more */

static _Atomic bool has_lost;   /* lock-free */
static _Atomic uint64_t n_lost; /* lock-free */

static bool is_in_a_range(uintptr_t start, size_t size) {
    uint32_t n = atomic_load(&n_ranges);
    for (uint32_t i = 0; i < n && i < MOST_RANGES; i++) {
        if (start >= atomic_load(&ranges[i].start) && start + size <= atomic_load(&ranges[i].end))
            return true;
    }
    return false;
}

static void add_range(uintptr_t start, size_t size) {
    uint32_t n = atomic_load(&n_ranges);
    while (n <= MOST_RANGES && !atomic_compare_exchange_weak(&n_ranges, &n, n + 1))
        ;
    if (n < MOST_RANGES) {
        atomic_store(&ranges[n].start, start);
        atomic_store(&ranges[n].end, start + size);
    }
}

static void widen(uintptr_t start, size_t size) {
    uintptr_t low = atomic_load(&lowest), high = atomic_load(&highest);
    while (start < low && !atomic_compare_exchange_weak(&lowest, &low, start))
        ;
    while (start + size > high && !atomic_compare_exchange_weak(&highest, &high, start + size))
        ;
}

void sg_arena_events_add(const struct sg_arena_event *event) {
    if (!event->is_unmap) {
        widen(event->start, event->size);
        if (!is_in_a_range(event->start, event->size))
            add_range(event->start, event->size);
    }
    uint32_t place = sg_mpsc_ring_take(&ring);
    if (place == SG_MPSC_RING_FULL) {
        atomic_store(&has_lost, true);
        atomic_fetch_add(&n_lost, 1);
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
    if (start >= atomic_load_explicit(&highest, memory_order_relaxed) ||
        start + size <= atomic_load_explicit(&lowest, memory_order_relaxed))
        return false;
    uint32_t n = atomic_load_explicit(&n_ranges, memory_order_relaxed);
    for (uint32_t i = 0; i < n && i < MOST_RANGES; i++) {
        if (start < atomic_load_explicit(&ranges[i].end, memory_order_relaxed) &&
            start + size > atomic_load_explicit(&ranges[i].start, memory_order_relaxed))
            return true;
    }
    return n > MOST_RANGES;
}

uint64_t sg_arena_events_lost(void) { return atomic_load(&n_lost); }

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
    for (int i = 0; i < MOST_RANGES; i++) {
        atomic_store(&ranges[i].end, 0);
        atomic_store(&ranges[i].start, 0);
    }
    atomic_store(&n_ranges, 0);
    atomic_store(&has_lost, false);
    atomic_store(&n_lost, 0);
}
