/* Leaks of a thread dump: the threads and tasks that nothing can ever wake.
 *
 *     writer: /proc        ─▶ last slice, GIL: the search  ─▶ writer: /proc
 *     blocked in a futex      (leaks/search.h), from each     has not run since?
 *     without a timeout?      thread's lock, over all objects */
#ifndef STACKGLASS_THREADS_DUMP_LEAKS_H
#define STACKGLASS_THREADS_DUMP_LEAKS_H

#include "threads/dump_rows.h"

/* Note which threads are blocked in a futex without a timeout. Called without the GIL, by a thread
 * with the engine's descriptor table. */
void sg_dump_leaks_begin(struct sg_thread_dump *dump);
/* Search for leaks. Returns false if a garbage collection is running: try again, but not before
 * `leaks_due_mono_ns`. After some tries it gives up, and says so. The caller holds the GIL. */
bool sg_dump_leaks_take(struct sg_thread_dump *dump);
/* Unmark the threads that have run since sg_dump_leaks_begin. Called without the GIL, by a thread
 * with the engine's descriptor table. */
void sg_dump_leaks_settle(struct sg_thread_dump *dump);

#endif
