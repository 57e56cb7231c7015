/* Allocators linked into libraries: jemalloc, mimalloc, Arrow's pools.
 *
 * Such a library's calls use no import table. But compilers call functions of another language
 * through a pointer, and virtual methods through a table; the loader fills these pointers in and
 * then makes their pages read-only (RELRO):
 *
 *     Rust ──▶ │ … │ _rjem_mallocx          │ … │ ──▶ wrapper ──▶ _rjem_mallocx
 *     C++  ──▶ │ … │ …MemoryPool::Allocate  │ … │ ──▶ wrapper ──▶ …MemoryPool::Allocate
 *
 * Where the library's symbol table has the functions' addresses, every such pointer to one of them
 * is replaced by a wrapper, and restored later. Code is never changed: a library that calls its
 * allocator directly, or has no symbol table, cannot be followed. */
#ifndef STACKGLASS_NATIVE_MEMORY_PRIVATE_ALLOCATORS_H
#define STACKGLASS_NATIVE_MEMORY_PRIVATE_ALLOCATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Several times a second, any one thread: look for libraries that have come since, and search one
 * of them for some milliseconds. What they allocate before they are found is not seen. */
void sg_private_allocators_maintain(void);

/* Restore all pointers that still hold a wrapper. Any thread. */
void sg_private_allocators_restore(void);
/* The same in a forked child, without the loader's lock. */
void sg_private_allocators_restore_in_child(void);

struct sg_private_allocators_status {
    uint32_t n_followed; /* libraries */
    uint32_t n_pointers; /* patched */
    uint32_t n_refused;  /* pointers that could not be changed, or found no room */
    uint32_t n_waiting;  /* libraries to be searched, or still being loaded */
};
void sg_private_allocators_status(struct sg_private_allocators_status *status);

/* The library at `address` has arenas (arenas.h): its threads are charged as those of a library
 * that is followed. By the thread of `maintain`. */
void sg_private_allocators_add_arena(uintptr_t address);

/* Does `address` lie in a library that is followed? Any thread; not while restore is at work. */
bool sg_private_allocators_follow(uintptr_t address);

#endif
