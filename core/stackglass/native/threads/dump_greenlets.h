/* Greenlets of a thread dump: the suspended and the unstarted greenlets, as rows among the tasks.
 * The frames of a running greenlet are in its thread's stack.
 *
 * Only the garbage collector's lists contain all greenlets. So a walk visits every object in these
 * lists (objects/collector_walk), in slices, and only if the program has loaded the greenlet
 * library. */
#ifndef STACKGLASS_THREADS_DUMP_GREENLETS_H
#define STACKGLASS_THREADS_DUMP_GREENLETS_H

#include "threads/dump_rows.h"

/* Read greenlets for `budget_ns` of CPU time. Returns true if all are read, or if the walk was
 * given up after too many slices and the dump is incomplete. The caller holds the GIL. */
bool sg_dump_greenlets_take(struct sg_thread_dump *dump, int64_t budget_ns);
/* After the last slice: set what wakes each greenlet. Needs no GIL. */
void sg_dump_greenlets_settle(struct sg_thread_dump *dump);
/* End a walk that is under way, and remove its marks from the collector's lists. The caller holds
 * the GIL. */
void sg_dump_greenlets_abandon(void);
void sg_dump_greenlets_after_fork_in_child(void);

#endif
