/* Allocators that libraries bring along, linked into them: jemalloc, mimalloc, Arrow's pools.
 *
 * What such a library allocates passes no import table. But compilers call functions of another
 * language through a pointer, and virtual methods through a table of them; the loader fills these
 * pointers in and then closes their pages (RELRO):
 *
 *     Rust ──▶ │ … │ _rjem_mallocx          │ … │ ──▶ wrapper ──▶ _rjem_mallocx
 *     C++  ──▶ │ … │ …MemoryPool::Allocate  │ … │ ──▶ wrapper ──▶ …MemoryPool::Allocate
 *
 * Where a library's symbol table says where the functions are, every such pointer to one of them is
 * led through a wrapper, and back. Code is never changed, so that a library whose calls go straight
 * to its allocator cannot be followed; nor can one without a symbol table. */
#ifndef STACKGLASS_NATIVE_MEMORY_PRIVATE_ALLOCATORS_H
#define STACKGLASS_NATIVE_MEMORY_PRIVATE_ALLOCATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Several times a second, any one thread: look for libraries that have come since, and search one
 * of them for some milliseconds. What they allocate before they are found is not seen. */
void sg_private_allocators_tend(void);

/* All pointers back to what they were, wherever they still lead to us. Any thread. */
void sg_private_allocators_restore(void);
/* The same in a forked child, whose only thread this is: without the loader's lock. */
void sg_private_allocators_restore_in_child(void);

struct sg_private_allocators_status {
    uint32_t n_followed; /* libraries */
    uint32_t n_pointers; /* that lead to us */
    uint32_t n_refused;  /* pointers that could not be changed, or found no room */
    uint32_t n_waiting;  /* libraries that are still to be searched, or still being loaded */
};
void sg_private_allocators_status(struct sg_private_allocators_status *status);

/* The library at `address` has arenas (arenas.h): its threads are charged as those of a library
 * that is followed. By the thread that tends. */
void sg_private_allocators_add_arena(uintptr_t address);

/* Does `address` lie in a library that is followed? Any thread; not while restore is at work. */
bool sg_private_allocators_follow(uintptr_t address);

#endif
