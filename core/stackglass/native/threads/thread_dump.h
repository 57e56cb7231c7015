/* Thread dump: every thread and every task of one moment.
 *
 *     writer, no GIL    /proc: the system call and CPU clock of each thread
 *     worker, GIL       one slice: stacks, CPU clocks; tasks and their await chains
 *                       names of threads, in the same slice if there is time
 *     writer, no GIL    /proc again: the state of each thread
 *
 * The slice is the moment. If one slice is not enough, others follow, and `n_slices` counts them.
 * The system call read from /proc before or after the slice applies to it if the thread's CPU clock
 * did not advance in between.
 *
 * A task that a thread runs is a row of both tables; its frames are in the thread's stack.
 *
 * There is one dump at a time. It belongs to the thread that has the job (worker/gil_worker.h). */
#ifndef STACKGLASS_THREADS_THREAD_DUMP_H
#define STACKGLASS_THREADS_THREAD_DUMP_H

#include "threads/dump_rows.h"

/* Begin a dump: read what each thread does from /proc. Called without the GIL, by a thread with the
 * engine's descriptor table. `wants_leaks`: the last slice searches for leaks, and may take much
 * longer than the others. */
void sg_thread_dump_begin(bool wants_leaks);
/* Take a slice of `budget_ns` of CPU time. CPU time counts, so that other threads' use of the
 * processor does not split the moment into two slices. Returns true after the last slice. The
 * caller holds the GIL. */
bool sg_thread_dump_continue(int64_t budget_ns);
/* Note for how long the last slice held the GIL, and its CPU time, and what it has read. Under load
 * `held_ns` is longer, because the processor was given to others meanwhile. Called without the GIL,
 * before the next slice. */
void sg_thread_dump_note_hold(uint64_t held_ns, uint64_t cpu_ns);
/* Find what each thread did at that moment, after the last slice. Called as sg_thread_dump_begin
 * is. */
void sg_thread_dump_settle(void);
/* List the code objects of the dump's stacks, each once: up to `max` ids, at most SG_LISTED_CODES;
 * none if the dump has more frames than SG_SHORT_DUMP_FRAMES. */
enum { SG_LISTED_CODES = 512, SG_SHORT_DUMP_FRAMES = 2048 };
size_t sg_thread_dump_list_codes_if_short(sg_code_id *ids, size_t max);
/* Return the dump, which is valid until sg_thread_dump_end. */
const struct sg_thread_dump *sg_thread_dump_current(void);
void sg_thread_dump_end(void);
/* Reset the state in a forked child, without freeing memory. */
void sg_thread_dump_after_fork_in_child(void);

#endif
