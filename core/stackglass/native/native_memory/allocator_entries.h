/* Wrappers around the entry points of an allocator that a library brings along: each takes a note
 * for the heap profiler and passes the call on.
 *
 * Several libraries may have the same allocator, each a copy of its own. So a wrapper belongs to
 * one function of one copy from the first time it is asked for until the process ends: a pointer to
 * it that was copied meanwhile must lead to the same function as ever. */
#ifndef STACKGLASS_NATIVE_MEMORY_ALLOCATOR_ENTRIES_H
#define STACKGLASS_NATIVE_MEMORY_ALLOCATOR_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a function takes and gives. `…`: up to two more integers, passed on as they are. */
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

/* Which shape the function of this name has, for names that a symbol table may end with; `start`
 * is where the name begins. False: it is no allocator's entry point. */
bool sg_allocator_entry_named(const char *text, size_t length, size_t *start, uint32_t *shape);

/* The wrapper of `theirs`; NULL if all of this shape are in use. One thread at a time. */
void *sg_allocator_entry(enum sg_entry_shape shape, void *theirs);

/* Does the function give out blocks, or take them back? A copy that only half can be followed of
 * is left alone. */
bool sg_allocator_entry_allocates(enum sg_entry_shape shape);
bool sg_allocator_entry_frees(enum sg_entry_shape shape);

#endif
