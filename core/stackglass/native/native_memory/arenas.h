/* Arenas: address space that libraries reserve for allocators that cannot be followed.
 *
 * The resident pages of an arena are counted at the Python line that reserved it, below the frame
 * "<arena of LIBRARY>". Each 2 MiB of address space is one block of the size of its resident pages,
 * exact (rate 1):
 *
 *     mmap(64 MiB) │▓▓▓▓▓▓│▓▓▓░░░│░░░░░░│ …     ▓ resident: 3 MiB in two blocks
 *
 * So pages that the allocator keeps for later count; pages that it has returned to the system do
 * not. The writer calls all functions but the last two. */
#ifndef STACKGLASS_NATIVE_MEMORY_ARENAS_H
#define STACKGLASS_NATIVE_MEMORY_ARENAS_H

#include <stddef.h>
#include <stdint.h>

#include "frames/arena_names.h"

/* Read the arena events (heap/arena_events.h). Between sg_heap_prepare and sg_heap_unprepare.
 *
 * If an event was lost, all arenas are forgotten, because one of them may have been unmapped; the
 * heap's status counts it as a lost sample. If memory is short, or there are more than 16 384
 * arenas, further ones are not counted, and nothing reports that. */
void sg_arenas_learn(void);
/* Do that, and count pages for some milliseconds, at most a fiftieth of the time. */
void sg_arenas_measure(void);

/* List the libraries with resident bytes in arenas; returns their number. */
struct sg_arena_library {
    const char *name; /* of its file; constant */
    uint64_t bytes;
};
size_t sg_arenas_list(struct sg_arena_library libraries[SG_MOST_ARENA_LIBRARIES + 1]);

/* Forget all arenas; their blocks are freed with the heap's tables. The worker calls this while the
 * writer does not measure. */
void sg_arenas_forget(void);
/* Forget all arenas in a forked child, without freeing memory. */
void sg_arenas_forget_in_child(void);

#endif
