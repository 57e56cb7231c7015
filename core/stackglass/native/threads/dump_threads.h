/* Threads of a dump: their stacks, names, states, and the locks that they wait for.
 *
 *     list_sleepers ─▶ take: stacks, in slices ─▶ name ─▶ take_waits ─▶ settle
 *     no GIL           GIL                        GIL     GIL           no GIL
 *
 * A thread's state comes from outside, from /proc, so it is read without the GIL before and after
 * the slices; `settle` finds out which of the two readings fits the stack. */
#ifndef STACKGLASS_THREADS_DUMP_THREADS_H
#define STACKGLASS_THREADS_DUMP_THREADS_H

#include "threads/dump_rows.h"

/* What all threads but the engine's sleep in: (n,) by tid, malloc'ed, or NULL. Called by a thread
 * with the engine's descriptor table. */
struct sg_sleeper *sg_dump_threads_list_sleepers(size_t *n);

/* Read threads until all are done (true) or it is `end_ns`, a time of this thread's CPU clock; then
 * a further call goes on. Caller holds the GIL. */
bool sg_dump_threads_take(struct sg_thread_dump *dump, int64_t end_ns);
/* Read names, from threading's list, if that is loaded; times and result as with `take`. It comes
 * after the tasks, because names may be read later than the rest. Caller holds the GIL. */
bool sg_dump_threads_name(struct sg_thread_dump *dump, int64_t end_ns);
/* Read which lock each thread waits for, if locks are hooked, until `end_ns`. With the GIL. */
void sg_dump_threads_take_waits(struct sg_thread_dump *dump, int64_t end_ns);
/* Set the states, after the last slice. Without the GIL, by a thread with the engine's descriptor
 * table. */
void sg_dump_threads_settle(struct sg_thread_dump *dump);

/* The row of a thread; NULL = it is not in the dump. Rows must be sorted: after `take`. */
struct sg_dumped_thread *sg_dump_threads_find(const struct sg_thread_dump *dump, pid_t tid);

#endif
