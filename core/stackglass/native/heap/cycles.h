/* Cycles: full garbage collections of the session, counted as in Go's heap profile. A cycle begins
 * with a full collection and lasts until the next one; buckets.h says what is booked in which. */
#ifndef STACKGLASS_HEAP_CYCLES_H
#define STACKGLASS_HEAP_CYCLES_H

#include <stdint.h>

/* A full collection begins, and ends. By the collecting thread, under the GIL. */
void sg_heap_cycles_begin_full(void);
void sg_heap_cycles_end_full(int64_t mono_ns);

/* Any thread. */
uint32_t sg_heap_cycles_now(void);        /* the present cycle: collections that have begun */
uint32_t sg_heap_cycles_published(void);  /* the last one that is published; 0 = none */
uint64_t sg_heap_cycles_ended(void);      /* collections that were seen to their end */
int64_t sg_heap_cycles_end_mono_ns(void); /* when the last of them ended; 0 = none has */

/* Back to cycle 0. No thread is inside. */
void sg_heap_cycles_discard(void);

#endif
