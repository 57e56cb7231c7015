/* Who allocates, and when. */
#ifndef STACKGLASS_HEAP_CAPTURE_H
#define STACKGLASS_HEAP_CAPTURE_H

#include <stdbool.h>

#include "heap/ledger.h"

/* Learn what a capture needs. Caller holds the GIL. NULL, or why not. */
const char *sg_heap_capture_prepare(int64_t start_mono_ns);

/* The calling thread and the present. Any thread, no GIL. */
struct sg_heap_moment sg_heap_capture_moment(void);

/* The frames (SG_HEAP_DEPTH,) of a thread state that is the calling thread's own, or NULL, leaf
 * first, for a note; how many there are. */
uint32_t sg_heap_capture_frames(const void *thread, struct sg_frame *frames);

/* In a collection that the calling thread makes? Set by gc.c, under the GIL. */
void sg_heap_capture_set_collector(bool is_collecting);

void sg_heap_capture_forget(void); /* in a forked child */

#endif
