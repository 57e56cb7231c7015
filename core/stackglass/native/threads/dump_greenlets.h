/* Greenlets of a dump: those that are suspended or have not begun, as rows among the tasks. The
 * frames of a running greenlet are in its thread's stack.
 *
 * Only the garbage collector's lists have all greenlets, so every object there is looked at
 * (objects/collector_walk), in slices; and only if the program has loaded the library. */
#ifndef STACKGLASS_THREADS_DUMP_GREENLETS_H
#define STACKGLASS_THREADS_DUMP_GREENLETS_H

#include "threads/dump_rows.h"

/* Read greenlets for `budget_ns` of CPU time. True = all are done; or it was given up, because it
 * took too many slices, and the dump is not whole. Caller holds the GIL. */
bool sg_dump_greenlets_take(struct sg_thread_dump *dump, int64_t budget_ns);
/* After the last slice: find what wakes each of them. No GIL. */
void sg_dump_greenlets_settle(struct sg_thread_dump *dump);
/* End a walk that is under way, and remove its marks from the collector's lists. Caller holds the
 * GIL. */
void sg_dump_greenlets_abandon(void);
void sg_dump_greenlets_after_fork_in_child(void);

#endif
