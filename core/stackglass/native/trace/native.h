/* Native blocks of the memory trace: memory that extension modules and their libraries allocate
 * without Python's allocators.
 *
 * The interception in native_memory/ calls these functions on any thread, with or without the GIL
 * or a thread state, also in signal handlers and in destructors of thread-local data. So no
 * function waits, takes a lock or calls malloc, and errno is kept. Each thread writes to its own
 * lane. */
#ifndef STACKGLASS_TRACE_NATIVE_H
#define STACKGLASS_TRACE_NATIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "platform/export.h"
#include "trace/events.h"

/* Lock-free. While it is false, the functions below record nothing. */
extern SG_NEAR _Atomic bool sg_trace_native_is_on;

static inline bool sg_trace_native_is_recording(void) {
    return atomic_load_explicit(&sg_trace_native_is_on, memory_order_relaxed);
}

/* Record that a block was allocated; NULL is ignored. */
void sg_trace_native_alloc(enum sg_trace_domain domain, const void *block, size_t size);
/* Record that a block is about to be freed; afterwards any thread may get its address. */
void sg_trace_native_free(enum sg_trace_domain domain, const void *block);
/* Record the begin and the end of a reallocation of `block`, which is not NULL. `moved` NULL = it
 * failed and the block is unchanged; without an end the block was freed. */
void sg_trace_native_realloc(enum sg_trace_domain domain, const void *block);
void sg_trace_native_realloced(enum sg_trace_domain domain, const void *moved, size_t size);
/* Record that address space was mapped, or is about to be unmapped. */
void sg_trace_native_map(const void *start, size_t size);
void sg_trace_native_unmap(const void *start, size_t size);

/* Begin recording, after the lanes are prepared, or end it. After the end, threads may be in a
 * function for a moment. */
void sg_trace_native_set_recording(bool is_on);

#endif
