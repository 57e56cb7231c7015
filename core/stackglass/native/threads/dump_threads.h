/* The threads of a dump: stacks in a slice, names behind them, what each sleeps in beside it. */
#ifndef STACKGLASS_THREADS_DUMP_THREADS_H
#define STACKGLASS_THREADS_DUMP_THREADS_H

#include "threads/dump_rows.h"

/* Threads but the engine's, by tid; malloc'ed. As sg_futex_sleepers_list. */
struct sg_sleeper *sg_dump_threads_list_sleepers(size_t *n);

/* All threads, or until `end_ns`; true = that was all. Caller holds the GIL. */
bool sg_dump_threads_take(struct sg_thread_dump *dump, int64_t end_ns);
/* Names, from threading's own list, if it is loaded. After the tasks, because names are not of a
 * moment. As take. */
bool sg_dump_threads_name(struct sg_thread_dump *dump, int64_t end_ns);
/* Which lock each waits for, if locks are hooked, until `end_ns`. Caller holds the GIL. */
void sg_dump_threads_take_waits(struct sg_thread_dump *dump, int64_t end_ns);
/* States, by what the threads sleep in before and after. No GIL. */
void sg_dump_threads_settle(struct sg_thread_dump *dump);

/* NULL = it is not in the dump. */
struct sg_dumped_thread *sg_dump_threads_find(const struct sg_thread_dump *dump, pid_t tid);

#endif
