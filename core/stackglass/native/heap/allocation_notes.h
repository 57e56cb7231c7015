/* Notes for the heap profiler, taken by functions that pass a program's calls on to an allocator.
 *
 * Such a function may run on any thread at any time, in signal handlers and in destructors of
 * thread-local data: it takes no lock and allocates nothing. */
#ifndef STACKGLASS_HEAP_ALLOCATION_NOTES_H
#define STACKGLASS_HEAP_ALLOCATION_NOTES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "heap/heap.h"

/* Lock-free. While it is false, calls are passed on and nothing else is done. */
extern _Atomic bool sg_native_blocks_are_recorded;

static inline bool sg_is_noting(void) {
    return atomic_load_explicit(&sg_native_blocks_are_recorded, memory_order_relaxed);
}

/* `block`, after it has been noted as allocated. NULL is ignored. */
static inline void *sg_noted(void *block, size_t size) {
    const void *address = block;
    __asm__("" : "+r"(address)); /* the compiler assumes that what is noted is also read */
    if (sg_is_noting())
        sg_native_blocks_malloc(address, size);
    return block;
}

static inline void sg_note_free(const void *block) {
    if (sg_is_noting())
        sg_native_blocks_free(block);
}

#endif
