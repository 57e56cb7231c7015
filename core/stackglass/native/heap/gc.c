/* Callbacks of the interpreter report the start and the end of a collection. Both update the cycles
 * (cycles.h) and the collecting thread (capture.h); the end adds an event (events.h). */
#include "heap/gc.h"

#include <stdatomic.h>

#include "heap/capture.h"
#include "heap/cycles.h"
#include "heap/events.h"
#include "interpreter/collector_callbacks.h"

enum { FULL_GENERATION = 2 }; /* the oldest: its collection is a full one */

static _Atomic bool is_listening; /* written with the GIL held */

static void record_end(const struct sg_collection *ended) {
    struct sg_heap_collection collection = {
        .start_mono_ns = ended->start_mono_ns,
        .pause_ns = (uint64_t)(ended->end_mono_ns - ended->start_mono_ns),
        .generation = ended->generation,
        .tid = sg_heap_capture_moment().tid,
        .collected = ended->collected,
        .uncollectable = ended->uncollectable,
    };
    if (collection.generation == FULL_GENERATION)
        sg_heap_cycles_end_full(ended->end_mono_ns);
    sg_heap_events_collections_add(&collection);
}

static void record(bool is_start, const struct sg_collection *collection) {
    if (is_start && collection->generation == FULL_GENERATION)
        sg_heap_cycles_begin_full();
    sg_heap_capture_set_collector(is_start);
    if (!is_start)
        record_end(collection);
}

bool sg_heap_gc_listen(void) {
    atomic_store(&is_listening, sg_collector_callbacks_listen(record));
    return sg_heap_gc_is_listening();
}

void sg_heap_gc_stop(void) {
    atomic_store(&is_listening, false);
    sg_collector_callbacks_stop(record);
    sg_heap_capture_set_collector(false);
}

bool sg_heap_gc_is_listening(void) {
    return atomic_load(&is_listening) && sg_collector_callbacks_are_seen();
}
