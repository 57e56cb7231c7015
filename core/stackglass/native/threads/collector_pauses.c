/* A subscriber of the collector's callbacks. */
#include "threads/collector_pauses.h"

#include <stdatomic.h>

#include "interpreter/collector_callbacks.h"

static _Atomic bool is_open; /* written with the GIL held */
static _Atomic uint64_t n_collections[SG_N_GENERATIONS], paused_ns[SG_N_GENERATIONS];

static void add(bool is_start, const struct sg_collection *collection) {
    uint32_t generation = collection->generation;
    if (is_start)
        return;
    if (generation >= SG_N_GENERATIONS)
        generation = SG_N_GENERATIONS - 1;
    atomic_fetch_add(&n_collections[generation], 1);
    atomic_fetch_add(&paused_ns[generation],
                     (uint64_t)(collection->end_mono_ns - collection->start_mono_ns));
}

void sg_collector_pauses_open(void) {
    bool was_open = atomic_load(&is_open);
    for (int i = 0; i < SG_N_GENERATIONS && !was_open; i++) {
        atomic_store(&n_collections[i], 0);
        atomic_store(&paused_ns[i], 0);
    }
    atomic_store(&is_open, sg_collector_callbacks_listen(add));
}

void sg_collector_pauses_close(void) {
    atomic_store(&is_open, false);
    sg_collector_callbacks_stop(add);
}

void sg_collector_pauses_after_fork_in_child(void) {
    if (atomic_load(&is_open))
        sg_collector_callbacks_discard();
    atomic_store(&is_open, false);
}

bool sg_collector_pauses_are_open(void) { return atomic_load(&is_open); }

struct sg_collector_pauses sg_collector_pauses_read(void) {
    struct sg_collector_pauses pauses = {.are_seen = sg_collector_pauses_are_open()};
    for (int i = 0; i < SG_N_GENERATIONS && pauses.are_seen; i++) {
        pauses.n[i] = atomic_load(&n_collections[i]);
        pauses.paused_ns[i] = atomic_load(&paused_ns[i]);
    }
    return pauses;
}
