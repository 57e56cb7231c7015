/* The calling thread's stack and the present moment, for a hook. */
#ifndef STACKGLASS_HEAP_CAPTURE_H
#define STACKGLASS_HEAP_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "heap/samples.h"

/* Learn what a capture needs. Caller holds the GIL. NULL, or why not. */
const char *sg_heap_capture_prepare(int64_t start_mono_ns);

/* Any thread, no GIL. */
struct sg_heap_moment sg_heap_capture_moment(void);

/* Frames (capacity,), leaf first, of the calling thread, its state being `thread`, which may be
 * NULL; how many. For a deferred record. */
uint32_t sg_heap_capture_frames(const void *thread, struct sg_frame *frames, uint32_t capacity);

/* The calling thread begins or ends a collection. Caller holds the GIL. */
void sg_heap_capture_set_collector(bool is_collecting);

void sg_heap_capture_forget(void); /* in a forked child */

#endif
