/* Blocks that do not come from Python's allocators: malloc of extension modules, mmap, allocators
 * inside libraries.
 *
 * Called by whatever intercepts them (native_memory/), on any thread, with or without the GIL or a
 * thread state, also in signal handlers and in destructors of thread-local data. So nothing here
 * waits, takes a lock or calls malloc, and errno is kept. The stack is that of the calling thread,
 * if it has one. What Python's own allocators get from malloc must not be recorded here: the
 * allocator hooks count it. */
#ifndef STACKGLASS_HEAP_NATIVE_BLOCKS_H
#define STACKGLASS_HEAP_NATIVE_BLOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/samples.h"
#include "platform/export.h"

/* Lock-free, set by native_memory. While it is false, wrappers only pass calls on. */
extern SG_NEAR _Atomic bool sg_native_blocks_are_recorded;

static inline bool sg_native_blocks_is_recording(void) {
    return atomic_load_explicit(&sg_native_blocks_are_recorded, memory_order_relaxed);
}

/* A block was allocated. NULL is ignored. */
void sg_native_blocks_malloc(const void *address, size_t size);
/* The same, by a function of a library that may allocate on threads of its own: the stack is then
 * that of the Python call under way in that library (library_calls.h). */
void sg_native_blocks_malloc_by(const void *address, size_t size, const void *allocator);
/* A block is about to be freed: afterwards any thread may get its address. */
void sg_native_blocks_free(const void *address);

/* A library at `caller` has reserved address space, or is about to release it: see
 * native_memory/arenas.h. */
void sg_native_blocks_map(const void *start, size_t size, const void *caller);
void sg_native_blocks_unmap(const void *start, size_t size);

/* A block is about to be reallocated:
 *
 *     taken = sg_native_blocks_realloc(old);  new = realloc(old, size);
 *     sg_native_blocks_realloced(&taken, new, size); */
struct sg_heap_taken sg_native_blocks_realloc(const void *old);
/* `new` NULL: with `size` 0 the block was freed, else it is as it was. */
void sg_native_blocks_realloced(const struct sg_heap_taken *taken, const void *new, size_t size);
void sg_native_blocks_realloced_by(const struct sg_heap_taken *taken, const void *new, size_t size,
                                   const void *allocator);

#endif
