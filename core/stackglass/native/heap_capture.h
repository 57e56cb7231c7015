/* Who allocates: the calling thread's stack, id and time, at the price of a few loads a frame.
 *
 * A hook stands in a call that the thread's Python code made, so its frames are whole (frames.h:
 * is_settled), whether the thread has the GIL or not. */
#ifndef STACKGLASS_HEAP_CAPTURE_H
#define STACKGLASS_HEAP_CAPTURE_H

#include <stdbool.h>

#include "heap_ledger.h"

/* Learn what a capture needs. Caller holds the GIL. NULL, or why not. */
const char *sg_heap_capture_prepare(int64_t start_mono_ns);

/* The calling thread and the present. Any thread, no GIL. */
struct sg_heap_moment sg_heap_capture_moment(void);

/* Fill `frames` (SG_HEAP_DEPTH,), leaf first; how many there are. `has_gil`: it is held. */
uint32_t sg_heap_capture_stack(bool has_gil, struct sg_frame *frames);

/* Is the calling thread one of the engine's? Any thread. */
bool sg_heap_capture_is_engine(void);

/* In a collection that the calling thread makes? Set by heap_gc.c, under the GIL. */
void sg_heap_capture_set_collector(bool is_collecting);

uint64_t sg_heap_capture_bad_walks(void); /* any thread */
void sg_heap_capture_forget(void);        /* the engine's threads: in a forked child */

#endif
