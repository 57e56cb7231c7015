/* Collector callbacks: when garbage collections begin and end, and what they found.
 *
 * The collector calls the functions in a list that the program also has, as `gc.callbacks`. The
 * engine leaves that list alone. It replaces the interpreter's own reference to it by a list of the
 * engine's, with one callback, which calls the program's callbacks in turn:
 *
 *     interpreter ──▶ engine's list: │ on_collection │ ──▶ gc.callbacks: │ program's callbacks │
 *
 * So the program finds its list as it left it, whatever it does with it, and nothing is imported.
 * One trace remains: the interpreter makes a dict for its callbacks at each collection, also where
 * the program has none. (Watching the collector's state instead would cost nothing, but would not
 * show how long the program stood still.) */
#ifndef STACKGLASS_INTERPRETER_COLLECTOR_CALLBACKS_H
#define STACKGLASS_INTERPRETER_COLLECTOR_CALLBACKS_H

#include <stdbool.h>
#include <stdint.h>

enum { SG_MOST_SUBSCRIBERS = 4 };

struct sg_collection {
    uint32_t generation;
    int64_t start_mono_ns;             /* 0 = its start was not seen */
    int64_t end_mono_ns;               /* 0 = it begins */
    uint64_t collected, uncollectable; /* objects; once it has ended */
};

/* Called by the collecting thread, with the GIL, at the beginning and the end of a collection of
 * the engine's interpreter. */
typedef void sg_collection_fn(bool is_start, const struct sg_collection *collection);

/* Call `subscriber` from the next collection on. Caller holds the GIL. False if the interpreter's
 * reference is not found: then no collection is seen, and nothing has changed. */
bool sg_collector_callbacks_listen(sg_collection_fn *subscriber);
/* Caller holds the GIL. After the last subscriber the reference is restored. */
void sg_collector_callbacks_stop(sg_collection_fn *subscriber);
/* In a forked child: restore the reference by one store, and free nothing. */
void sg_collector_callbacks_discard(void);

bool sg_collector_callbacks_are_seen(void); /* any thread */

#endif
