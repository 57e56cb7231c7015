/* Threads of a dump: reads their stacks, names and states.
 *
 *     list_sleepers ─▶ take: stacks, in slices ─▶ name ─▶ (dump_waits.h) ─▶ settle
 *     no GIL           GIL                        GIL     GIL               no GIL
 *
 * A thread's state is read from /proc, without the GIL, before and after the slices; `settle`
 * decides which of the two readings fits the stack. */
#ifndef STACKGLASS_THREADS_DUMP_THREADS_H
#define STACKGLASS_THREADS_DUMP_THREADS_H

#include "threads/dump_rows.h"

/* Return the system call and CPU clock of every thread except the engine's: (n,), sorted by tid,
 * malloc'ed, or NULL. Called by a thread with the engine's descriptor table. */
struct sg_sleeper *sg_dump_threads_list_sleepers(size_t *n);
/* Return the row of a thread in such a list, or NULL. */
const struct sg_sleeper *sg_dump_threads_find_sleeper(const struct sg_sleeper *sleepers, size_t n,
                                                      pid_t tid);

/* Read the tids of thread states that have only a pthread_t, up to 3.10, so that the slices need no
 * system call for them. Called without the GIL. */
void sg_dump_threads_list_tids(struct sg_thread_dump *dump);

/* Read threads until all are read (returns true) or the calling thread's CPU clock reads `end_ns`;
 * the next call continues. The caller holds the GIL. */
bool sg_dump_threads_take(struct sg_thread_dump *dump, int64_t end_ns);
/* Read the names of threads from threading's list, if that module is loaded; `end_ns` and the
 * result are as in sg_dump_threads_take. Called after the tasks are read, because names may be read
 * later than the rest. The caller holds the GIL. */
bool sg_dump_threads_name(struct sg_thread_dump *dump, int64_t end_ns);
/* Set the threads' states after the last slice. Called without the GIL, by a thread with the
 * engine's descriptor table. */
void sg_dump_threads_settle(struct sg_thread_dump *dump);

/* Return the row of a thread, or NULL if it is not in the dump. If the thread has a row for each of
 * several interpreters, it is that of the engine's. Only after sg_dump_threads_take has returned
 * true, because rows must be sorted. */
struct sg_dumped_thread *sg_dump_threads_find(const struct sg_thread_dump *dump, pid_t tid);
/* Return that of the thread's rows which was read from the state `thread`, or the first if none
 * was. */
struct sg_dumped_thread *sg_dump_threads_find_state(const struct sg_thread_dump *dump, pid_t tid,
                                                    const void *thread);

#endif
