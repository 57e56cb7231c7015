/* Every thread and every task of one moment.
 *
 *     writer, no GIL    /proc: the system call and CPU clock of each thread
 *     worker, GIL       one slice: stacks, CPU clocks; tasks and their await chains
 *                       names of threads, in the same slice if there is time
 *     writer, no GIL    /proc again: the state of each thread
 *
 * The slice is the moment. If one slice is not enough, others follow, and `n_slices` counts them. A
 * thread's system call is that of the moment if its CPU clock did not move between the slice and
 * the read of /proc before or after it.
 *
 * A task that a thread runs is a row of both tables: the thread's stack is its stack.
 *
 * One dump at a time; it belongs to the thread that has the job (worker/gil_worker.h). */
#ifndef STACKGLASS_THREADS_THREAD_DUMP_H
#define STACKGLASS_THREADS_THREAD_DUMP_H

#include "threads/dump_rows.h"

/* Ask the system what each thread does. No GIL, and a descriptor table of its own. `wants_leaks`:
 * the last slice searches for leaks, and may take much longer than the others. */
void sg_thread_dump_begin(bool wants_leaks);
/* A slice of `budget_ns` of CPU time: a processor that other threads want does not cut the moment
 * in two. Caller holds the GIL. True = that was the last one. */
bool sg_thread_dump_continue(int64_t budget_ns);
/* For how long the last slice had the GIL, and how much CPU time it took. Under load the first is
 * the longer one: the processor was given to others meanwhile. */
void sg_thread_dump_note_hold(uint64_t held_ns, uint64_t cpu_ns);
/* After the last slice: what each thread did at that moment. As begin. */
void sg_thread_dump_settle(void);
/* The code objects of its stacks, each once: up to `max` ids, at most SG_LISTED_CODES; none if the
 * dump has more frames than SG_SHORT_DUMP_FRAMES. */
enum { SG_LISTED_CODES = 512, SG_SHORT_DUMP_FRAMES = 2048 };
size_t sg_thread_dump_list_codes_if_short(sg_code_id *ids, size_t max);
/* The dump, good until its end. */
const struct sg_thread_dump *sg_thread_dump_current(void);
void sg_thread_dump_end(void);
/* A forked child: its memory stays. */
void sg_thread_dump_after_fork_in_child(void);

#endif
