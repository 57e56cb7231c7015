/* Collections: when they begin and end, and what they found.
 *
 * The collector tells those in its list of callbacks. That list is the program's too, as
 * `gc.callbacks`; so we do not put ourselves into it. The interpreter's own reference to the list
 * is turned to one of ours, which calls us, and we call whoever is in the program's:
 *
 *     interpreter ──▶ our list: │ heard │ ──▶ gc.callbacks: │ theirs │ theirs │
 *
 * So the program finds its list as it left it, whatever it does with it, and nothing is imported.
 * What remains to be seen: the dict that the interpreter makes for its callbacks at each collection
 * is made for us alone if there are no others. Watching the collector's state instead would cost
 * nothing, but would not know how long the program stood still. */
#ifndef STACKGLASS_HEAP_GC_H
#define STACKGLASS_HEAP_GC_H

#include <stdbool.h>

/* Caller holds the GIL. False if the interpreter keeps its list where we do not find it: then no
 * collection is seen, and nothing has been changed. */
bool sg_heap_gc_listen(void);
/* Caller holds the GIL. */
void sg_heap_gc_deafen(void);
/* The list put back by one store, nothing freed: in a forked child. */
void sg_heap_gc_discard(void);

bool sg_heap_gc_is_listening(void); /* any thread */

#endif
