/* Memory that extension modules and their libraries get past Python's allocators: what they call
 * of malloc's family, mmap, and Python's raw domain is led through here and told to the heap
 * profiler (sg_heap_note_… of heap/heap.h).
 *
 *     numpy ──▶ malloc ──┐                              ┌──▶ C library
 *     libstdc++ (new) ───┼──▶ here: pass on, take note ─┤
 *     an extension ──▶ PyMem_RawMalloc                  └──▶ interpreter
 *
 * Not seen, by decision: what the interpreter itself gets from malloc and mmap (small objects'
 * arenas, large objects, raw domain), since the hooks have counted those objects; what the C
 * library gets for itself or hands out (strdup, getline, thread stacks); a mapping of a file.
 *
 * Address space that is only reserved (MAP_NORESERVE, or not writable) is an allocator's arena:
 * what the allocator hands out is followed (private_allocators.h), or else the arena's resident
 * pages are counted (arenas.h). */
#ifndef STACKGLASS_NATIVE_MEMORY_NATIVE_ALLOC_H
#define STACKGLASS_NATIVE_MEMORY_NATIVE_ALLOC_H

#include "interpreter/got_patch.h"

/* After sg_heap_prepare. NULL, or one sentence that says why such memory is not seen here, and then
 * nothing has been changed; the rest of the heap profiler goes on. Any thread. */
const char *sg_native_alloc_lead(void);

/* Several times a second, any one thread: libraries that have come since. What they allocate before
 * that is not seen. */
void sg_native_alloc_tend(void);

/* Before the heap's buckets are read; the thread that tends. Arenas of libraries whose allocators
 * cannot be followed. */
void sg_native_alloc_measure(void);

/* Before sg_heap_unprepare. Any thread; no tend or measure is under way. A table that somebody has
 * changed after us stays as it is, and what leads through here from there or from a copied pointer
 * passes on and takes no note. */
void sg_native_alloc_restore(void);

/* Between fork and its return, in the child. */
void sg_native_alloc_after_fork_in_child(void);

#endif
