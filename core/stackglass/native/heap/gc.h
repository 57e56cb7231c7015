/* Garbage collections: records each collection for the heap profiler, and counts the full ones. */
#ifndef STACKGLASS_HEAP_GC_H
#define STACKGLASS_HEAP_GC_H

#include <stdbool.h>

/* Record collections from now on. Returns false if collections cannot be seen; then nothing has
 * changed. The caller holds the GIL. */
bool sg_heap_gc_listen(void);
/* Record no collections from now on. The caller holds the GIL. */
void sg_heap_gc_stop(void);

bool sg_heap_gc_is_listening(void); /* are collections recorded? any thread */

#endif
