/* Wrappers around the entry points of an allocator inside a library: each records the call
 * (recording.h) and passes it on.
 *
 * Several libraries may have a copy of the same allocator. A wrapper belongs to one function of one
 * copy until the process ends, since the program may have copied a pointer to it. */
#ifndef STACKGLASS_NATIVE_MEMORY_ALLOCATOR_ENTRIES_H
#define STACKGLASS_NATIVE_MEMORY_ALLOCATOR_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Arguments and result of a function. `…`: up to two more integers, passed on unchanged. */
enum sg_entry_shape {
    SG_ENTRY_ALLOC,        /* (size, …) -> block */
    SG_ENTRY_CALLOC,       /* (n, size, …) -> block */
    SG_ENTRY_ALIGNED,      /* (alignment, size) -> block */
    SG_ENTRY_MEMALIGN,     /* (&block, alignment, size) -> error */
    SG_ENTRY_REALLOC,      /* (block, size, …) -> block */
    SG_ENTRY_FREE,         /* (block, …) */
    SG_ENTRY_POOL_ALLOC,   /* arrow::MemoryPool::Allocate(size, alignment, &block) -> Status */
    SG_ENTRY_POOL_REALLOC, /* Reallocate(old size, new size, alignment, &block) -> Status */
    SG_ENTRY_POOL_FREE,    /* Free(block, size, alignment) */
    SG_ENTRY_SHAPES,
};

/* Find the shape of the function whose name is `text`, of `length` bytes, or the end of `text`;
 * `start` is set to where the name begins. Returns false if it is no allocator's entry point. */
bool sg_allocator_entry_named(const char *text, size_t length, size_t *start, uint32_t *shape);

/* Return the wrapper of `function`; NULL if all wrappers of this shape are in use. One thread at a
 * time. */
void *sg_allocator_entry(enum sg_entry_shape shape, void *function);

/* Whether this is a shape of plain allocation (calloc, for one, is not), or one of freeing. A copy
 * of an allocator is followed only if functions of both kinds were found. */
bool sg_allocator_entry_allocates(enum sg_entry_shape shape);
bool sg_allocator_entry_frees(enum sg_entry_shape shape);

#endif
