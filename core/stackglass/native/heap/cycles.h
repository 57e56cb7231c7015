/* Cycles: full garbage collections of the session, counted as in Go's heap profile. A cycle begins
 * with a full collection and lasts until the next one; buckets.h says which events are added to
 * which cycle. */
#ifndef STACKGLASS_HEAP_CYCLES_H
#define STACKGLASS_HEAP_CYCLES_H

#include <stdint.h>

/* Count the beginning, and the end, of a full collection. The collecting thread calls these with
 * the GIL held. */
void sg_heap_cycles_begin_full(void);
void sg_heap_cycles_end_full(int64_t mono_ns);

/* Any thread. */
uint32_t sg_heap_cycles_now(void);        /* the present cycle: collections that have begun */
uint32_t sg_heap_cycles_published(void);  /* the last published cycle; 0 = none */
uint64_t sg_heap_cycles_ended(void);      /* full collections that have ended */
int64_t sg_heap_cycles_end_mono_ns(void); /* when the last of these ended; 0 = none has */

/* Go back to cycle 0. No thread is inside these functions. */
void sg_heap_cycles_discard(void);

#endif
