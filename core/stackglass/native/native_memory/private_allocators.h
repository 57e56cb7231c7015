/* Allocators linked into libraries: jemalloc, mimalloc, Arrow's pools.
 *
 * A library calls such an allocator without an import table. But compilers call functions of
 * another language through a pointer, and virtual methods through a table; the loader fills these
 * pointers in and then makes their pages read-only (RELRO):
 *
 *     Rust ──▶ │ … │ _rjem_mallocx          │ … │ ──▶ wrapper ──▶ _rjem_mallocx
 *     C++  ──▶ │ … │ …MemoryPool::Allocate  │ … │ ──▶ wrapper ──▶ …MemoryPool::Allocate
 *
 * The library's symbol table has the addresses of the allocator's functions. Every pointer to one
 * of these functions is replaced by a wrapper, and restored later. If the table lacks a function
 * that allocates, or one that frees, no pointer is replaced. Code is never changed: a library that
 * calls its allocator directly, or has no symbol table, cannot be followed. */
#ifndef STACKGLASS_NATIVE_MEMORY_PRIVATE_ALLOCATORS_H
#define STACKGLASS_NATIVE_MEMORY_PRIVATE_ALLOCATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Look for libraries that were loaded since the last call, and search one of them for some
 * milliseconds. Called several times a second, by any one thread. What a library allocates before
 * its allocator is found is not seen. */
void sg_private_allocators_maintain(void);

/* Restore all pointers that still hold a wrapper. Any thread. */
void sg_private_allocators_restore(void);
/* Restore the pointers in a forked child, without the loader's lock. */
void sg_private_allocators_restore_in_child(void);

struct sg_private_allocators_status {
    uint32_t n_followed; /* libraries */
    uint32_t n_pointers; /* patched pointers */
    uint32_t n_refused;  /* pointers that could not be changed, or found no room */
    uint32_t n_waiting;  /* libraries to be searched, or still being loaded */
};
void sg_private_allocators_status(struct sg_private_allocators_status *status);

/* Note that the library at `address` has arenas (arenas.h): its threads are then charged like those
 * of a library that is followed. Called by the thread of `maintain`. */
void sg_private_allocators_add_arena(uintptr_t address);

/* Whether `address` lies in a library that is followed. Called by the thread of `maintain`. */
bool sg_private_allocators_follow(uintptr_t address);

#endif
