/* Garbage collections: when they begin and end, and what they found.
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
#ifndef STACKGLASS_HEAP_GC_H
#define STACKGLASS_HEAP_GC_H

#include <stdbool.h>

/* Caller holds the GIL. False if the interpreter's reference is not found: then no collection is
 * seen, and nothing has changed. */
bool sg_heap_gc_listen(void);
/* Caller holds the GIL. */
void sg_heap_gc_stop(void);
/* In a forked child: restore the reference by one store, and free nothing. */
void sg_heap_gc_discard(void);

bool sg_heap_gc_is_listening(void); /* any thread */

#endif
