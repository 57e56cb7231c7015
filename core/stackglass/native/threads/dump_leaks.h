/* Leaks of a dump: which of its threads and tasks nothing can ever wake.
 *
 *     writer: /proc ─▶ last slice, GIL: the search (leaks/search.h) ─▶ writer: /proc
 *     rests in a futex   lock of each, all objects                     has not run since
 *     without a timeout */
#ifndef STACKGLASS_THREADS_DUMP_LEAKS_H
#define STACKGLASS_THREADS_DUMP_LEAKS_H

#include "threads/dump_rows.h"

/* Note which threads rest now. Without the GIL, by a thread with the engine's descriptor table. */
void sg_dump_leaks_begin(struct sg_thread_dump *dump);
/* The search. False = a collection is running: try again. Caller holds the GIL. */
bool sg_dump_leaks_take(struct sg_thread_dump *dump);
/* Unmark the threads that have run since `begin`. Without the GIL, by a thread with the engine's
 * descriptor table. */
void sg_dump_leaks_settle(struct sg_thread_dump *dump);

#endif
