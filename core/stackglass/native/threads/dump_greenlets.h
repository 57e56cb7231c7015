/* The greenlets of a dump that are suspended or have not begun: rows among the tasks. One that runs
 * is its thread's stack.
 *
 * Nothing lists them but the collector, so all of its objects are passed (objects/collector_walk),
 * in slices. This is done only where the program has loaded the library. */
#ifndef STACKGLASS_THREADS_DUMP_GREENLETS_H
#define STACKGLASS_THREADS_DUMP_GREENLETS_H

#include "threads/dump_rows.h"

/* All of them, or as many as `budget_ns` allows; true = that was all, or more slices would take too
 * long, and the dump is not whole. Caller holds the GIL. */
bool sg_dump_greenlets_take(struct sg_thread_dump *dump, int64_t budget_ns);
/* Remove the marks of a walk that was given up. Caller holds the GIL. */
void sg_dump_greenlets_abandon(void);
void sg_dump_greenlets_after_fork_in_child(void);

#endif
