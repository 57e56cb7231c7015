/* Native blocks of the memory trace: what extension modules and their libraries get without
 * Python's allocators.
 *
 * Called by whatever intercepts them (native_memory/), on any thread, with or without the GIL or a
 * thread state, also in signal handlers and in destructors of thread-local data: nothing here
 * waits, takes a lock or calls malloc, and errno is kept. A thread writes to a lane of its own. */
#ifndef STACKGLASS_TRACE_NATIVE_H
#define STACKGLASS_TRACE_NATIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "platform/export.h"
#include "trace/events.h"

/* Lock-free. While it is false, nothing here is to be called. */
extern SG_NEAR _Atomic bool sg_trace_native_is_on;

static inline bool sg_trace_native_is_recording(void) {
    return atomic_load_explicit(&sg_trace_native_is_on, memory_order_relaxed);
}

/* A block was allocated; NULL is ignored. */
void sg_trace_native_alloc(enum sg_trace_domain domain, const void *block, size_t size);
/* A block is about to be freed: afterwards any thread may get its address. */
void sg_trace_native_free(enum sg_trace_domain domain, const void *block);
/* Around a reallocation of `block`, not NULL; `moved` NULL: it failed, and the block is as it was.
 */
void sg_trace_native_realloc(enum sg_trace_domain domain, const void *block);
void sg_trace_native_realloced(enum sg_trace_domain domain, const void *moved, size_t size);
/* Address space was mapped, or is about to be unmapped. */
void sg_trace_native_map(const void *start, size_t size);
void sg_trace_native_unmap(const void *start, size_t size);

/* Begin, with the lanes prepared, and end: then threads may be inside for a moment. */
void sg_trace_native_set_recording(bool is_on);

#endif
