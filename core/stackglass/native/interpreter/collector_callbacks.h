/* Collector callbacks: report when garbage collections begin and end, and what they found.
 *
 * The collector calls the functions in a list that the program also has, as `gc.callbacks`. The
 * engine leaves that list alone. It replaces the interpreter's own reference to the list by a
 * reference to a list of the engine's, with one callback, which calls the program's callbacks in
 * turn:
 *
 *     interpreter ──▶ engine's list: │ on_collection │ ──▶ gc.callbacks: │ program's callbacks │
 *
 * So the program always finds its list as it left it, and nothing is imported. One side effect
 * remains: the interpreter makes a dict for the callbacks at each collection, even if the program
 * has no callbacks. (Polling the collector's state instead would have no such effect, but would not
 * show how long the program paused.) */
#ifndef STACKGLASS_INTERPRETER_COLLECTOR_CALLBACKS_H
#define STACKGLASS_INTERPRETER_COLLECTOR_CALLBACKS_H

#include <stdbool.h>
#include <stdint.h>

enum { SG_MOST_SUBSCRIBERS = 4 };

struct sg_collection {
    uint32_t generation;
    int64_t start_mono_ns;
    int64_t end_mono_ns;               /* 0 = the collection begins */
    uint64_t collected, uncollectable; /* objects; 0 until the collection has ended */
};

/* A subscriber. The collecting thread calls it, with the GIL held, at the beginning and the end of
 * a collection in the engine's interpreter. */
typedef void sg_collection_fn(bool is_start, const struct sg_collection *collection);

/* Call `subscriber` from the next collection on, not for one that is under way. Returns false if
 * the interpreter's reference is not found, or if there are SG_MOST_SUBSCRIBERS; then nothing has
 * changed. The caller holds the GIL. */
bool sg_collector_callbacks_listen(sg_collection_fn *subscriber);
/* Do not call `subscriber` any more. After the last subscriber, restore the interpreter's
 * reference. The caller holds the GIL. */
void sg_collector_callbacks_stop(sg_collection_fn *subscriber);
/* In a forked child: restore the reference by one store, and free nothing. */
void sg_collector_callbacks_discard(void);

/* Are collections seen now? Any thread. */
bool sg_collector_callbacks_are_seen(void);

#endif
