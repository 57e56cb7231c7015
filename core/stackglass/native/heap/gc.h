/* Garbage collections, as the heap profiler records them. */
#ifndef STACKGLASS_HEAP_GC_H
#define STACKGLASS_HEAP_GC_H

#include <stdbool.h>

/* Record collections from now on. False if they cannot be seen; then nothing has changed. Caller
 * holds the GIL. */
bool sg_heap_gc_listen(void);
/* Record none from now on. Caller holds the GIL. */
void sg_heap_gc_stop(void);

bool sg_heap_gc_is_listening(void); /* any thread */

#endif
