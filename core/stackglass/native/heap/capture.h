/* The calling thread's stack and the present moment, for a hook. */
#ifndef STACKGLASS_HEAP_CAPTURE_H
#define STACKGLASS_HEAP_CAPTURE_H

#include <stdatomic.h>
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

/* The same with C frames, where native stacks are on; 0 = they are off, or there is none. Without a
 * state the C frames alone. */
uint32_t sg_heap_capture_native(const void *thread, struct sg_frame *frames, uint32_t capacity);
/* Whether stacks are to have C frames. The writer sets it. */
extern _Atomic bool sg_heap_capture_has_native; /* lock-free */
static inline bool sg_heap_capture_is_native(void) {
    return atomic_load_explicit(&sg_heap_capture_has_native, memory_order_relaxed);
}

/* The calling thread begins or ends a collection. Caller holds the GIL. */
void sg_heap_capture_set_collector(bool is_collecting);

void sg_heap_capture_forget(void); /* in a forked child */

#endif
