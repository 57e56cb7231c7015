/* Arenas: address space that libraries reserve for allocators which cannot be followed.
 *
 * What counts is which of an arena's pages are in memory. They stand in the heap profile at the
 * Python line that reserved them, below the frame "<arena of LIBRARY>": one block for each 2 MiB of
 * address space, of the size of its resident pages, exact (rate 1):
 *
 *     mmap(64 MiB) │▓▓▓▓▓▓│▓▓░░░░│░░░░░░│ …     ▓ resident: 3 MiB in two blocks
 *
 * So pages that the allocator keeps for later count, and freed ones that it has given back do not.
 * All by one thread, the writer. */
#ifndef STACKGLASS_NATIVE_MEMORY_ARENAS_H
#define STACKGLASS_NATIVE_MEMORY_ARENAS_H

#include <stddef.h>
#include <stdint.h>

#include "frames/arena_names.h"

/* Take in what has been reserved and released, and look at pages for some milliseconds; at most a
 * fiftieth of the time. Between sg_heap_prepare and sg_heap_unprepare. */
void sg_arenas_measure(void);

/* Resident bytes in arenas of a library, for each that has any: how many there are. */
struct sg_arena_library {
    const char *name; /* of its file; constant */
    uint64_t bytes;
};
size_t sg_arenas_list(struct sg_arena_library libraries[SG_MOST_ARENA_LIBRARIES + 1]);

/* Forget them; their blocks go with the heap's tables. */
void sg_arenas_forget(void);
/* The same in a forked child, without freeing anything. */
void sg_arenas_forget_in_child(void);

#endif
