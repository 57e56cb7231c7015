/* Native blocks: blocks that do not come from Python's allocators, but from extension modules'
 * malloc, mmap, and allocators inside libraries.
 *
 * The wrappers of native_memory/ call these functions on any thread, with or without the GIL or a
 * thread state, also in signal handlers and in destructors of thread-local data. So nothing here
 * takes a lock or calls malloc, and errno is kept. A block is charged to the calling thread's
 * stack, if the thread has one. Blocks that Python's own allocators get from malloc must not be
 * recorded here: the allocator hooks count them. */
#ifndef STACKGLASS_HEAP_NATIVE_BLOCKS_H
#define STACKGLASS_HEAP_NATIVE_BLOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/samples.h"
#include "platform/export.h"

/* Are native blocks recorded? While this is false, wrappers only pass calls on. Lock-free; set by
 * native_memory/. */
extern SG_NEAR _Atomic bool sg_native_blocks_are_recorded;

static inline bool sg_native_blocks_is_recording(void) {
    return atomic_load_explicit(&sg_native_blocks_are_recorded, memory_order_relaxed);
}

/* Record that a block was allocated. NULL is ignored. */
void sg_native_blocks_malloc(const void *address, size_t size);
/* Record that a block was allocated by `allocator`, a function of a library that may allocate on
 * threads of its own. On such a thread, the block is charged to the Python call under way in that
 * library (library_calls.h). */
void sg_native_blocks_malloc_by(const void *address, size_t size, const void *allocator);
/* Record that a block is about to be freed; after the free any thread may get its address. */
void sg_native_blocks_free(const void *address);

/* Record that the library at `caller` has reserved address space, or that address space is about to
 * be released (native_memory/arenas.h). */
void sg_native_blocks_map(const void *start, size_t size, const void *caller);
void sg_native_blocks_unmap(const void *start, size_t size);

/* Record a realloc of a block, by a call before it and a call after it:
 *
 *     taken = sg_native_blocks_realloc(old);  new = realloc(old, size);
 *     sg_native_blocks_realloced(&taken, new, size); */
struct sg_heap_taken sg_native_blocks_realloc(const void *old);
/* If `new` is NULL, the old block was freed if `size` is 0; otherwise it is as it was. */
void sg_native_blocks_realloced(const struct sg_heap_taken *taken, const void *new, size_t size);
void sg_native_blocks_realloced_by(const struct sg_heap_taken *taken, const void *new, size_t size,
                                   const void *allocator);

#endif
