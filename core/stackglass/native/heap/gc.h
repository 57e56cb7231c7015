/* Garbage collections, as the heap profiler records them. */
#ifndef STACKGLASS_HEAP_GC_H
#define STACKGLASS_HEAP_GC_H

#include <stdbool.h>

/* Caller holds the GIL. False if collections cannot be seen; then nothing has changed. */
bool sg_heap_gc_listen(void);
/* Caller holds the GIL. */
void sg_heap_gc_stop(void);

bool sg_heap_gc_is_listening(void); /* any thread */

#endif
