/* Capture: what a hook records of the thread that calls it: the time, the thread's tid and stack,
 * and whether the thread runs a garbage collection. */
#ifndef STACKGLASS_HEAP_CAPTURE_H
#define STACKGLASS_HEAP_CAPTURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "heap/samples.h"

/* Prepare captures; `start_mono_ns` is time 0. Returns NULL, or one sentence that says why captures
 * are not possible. The caller holds the GIL. */
const char *sg_heap_capture_prepare(int64_t start_mono_ns);

/* Return the present moment. Any thread, with or without the GIL. */
struct sg_heap_moment sg_heap_capture_moment(void);

/* Copy the calling thread's Python frames, leaf first, to `frames` (capacity,). `thread` is the
 * thread's own PyThreadState, or NULL. Returns how many frames there are, at least 1: a
 * pseudo-frame stands for a thread without Python frames. */
uint32_t sg_heap_capture_frames(const void *thread, struct sg_frame *frames, uint32_t capacity);

/* As sg_heap_capture_frames, but with C frames; if `thread` is NULL, C frames only. Returns 0 if
 * native stacks are off, or if there are no such frames. */
uint32_t sg_heap_capture_native(const void *thread, struct sg_frame *frames, uint32_t capacity);
/* Are stacks to have C frames? Lock-free; written by sg_heap_maintain. */
extern _Atomic bool sg_heap_capture_has_native;
static inline bool sg_heap_capture_is_native(void) {
    return atomic_load_explicit(&sg_heap_capture_has_native, memory_order_relaxed);
}

/* Record that the calling thread begins or ends a garbage collection. The caller holds the GIL. */
void sg_heap_capture_set_collector(bool is_collecting);

void sg_heap_capture_forget(void); /* in a forked child */

#endif
