/* Memory that extension modules and their libraries allocate without Python's allocators: their
 * imports of malloc's family, mmap and Python's raw domain are redirected to wrappers here, which
 * record for the heap profiler and the memory trace (recording.h).
 *
 *     numpy ──▶ malloc ──┐                              ┌──▶ C library
 *     libstdc++ (new) ───┼──▶ wrapper: call, record   ─┤
 *     an extension ──▶ PyMem_RawMalloc                  └──▶ interpreter
 *
 * pthread_create is redirected as well, to record which thread started a thread of C code
 * (interpreter/thread_starts.h).
 *
 * Left out: what the interpreter itself gets from malloc and mmap (small objects' arenas, large
 * objects, raw domain), since the hooks count those objects; what the C library gets for itself or
 * hands out (strdup, getline, thread stacks); mappings of files.
 *
 * Address space that is only reserved (MAP_NORESERVE, or not writable) is an allocator's arena:
 * either that allocator is followed (private_allocators.h), or the arena's resident pages are
 * counted (arenas.h). */
#ifndef STACKGLASS_NATIVE_MEMORY_NATIVE_ALLOC_H
#define STACKGLASS_NATIVE_MEMORY_NATIVE_ALLOC_H

#include <stdbool.h>

#include "interpreter/got_patch.h"

/* Redirect the imports. Returns NULL, or one sentence that says why it failed; then nothing has
 * changed. Any thread. */
const char *sg_native_alloc_redirect(void);
/* Record for the heap profiler, after sg_heap_prepare, until the imports are restored; and for the
 * memory trace, after sg_trace_begin. */
void sg_native_alloc_record_heap(void);
void sg_native_alloc_record_trace(bool is_on);

/* Redirect the imports of libraries that were loaded since the last call, and learn of arenas.
 * Called several times a second, by any one thread. What a library allocates before that is not
 * seen. */
void sg_native_alloc_maintain(void);
/* Return how long that thread may wait until its next call, in milliseconds: `most_ms`, or less
 * where libraries were loaded in the last second. */
int sg_native_alloc_pause_ms(int most_ms);

/* Measure the arenas of allocators that cannot be followed. Called before the heap's buckets are
 * read, by the thread of `maintain`. */
void sg_native_alloc_measure(void);

/* Restore the imports, before sg_heap_unprepare. Any thread, while no maintain or measure is under
 * way. An import that another tool has changed since then stays as it is. A wrapper that is still
 * called, from there or through a copied pointer, only passes calls on. */
void sg_native_alloc_restore(void);

/* Restore the imports in a forked child, before fork returns. */
void sg_native_alloc_after_fork_in_child(void);

#endif
