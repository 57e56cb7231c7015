/* Registry of the engine's threads. They are never sampled, and their CPU time and allocations are
 * not counted as the program's. Lock-free; any thread. */
#ifndef STACKGLASS_PLATFORM_ENGINE_THREADS_H
#define STACKGLASS_PLATFORM_ENGINE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Register the calling thread until it leaves, which it must do before it ends. */
void sg_engine_threads_enter(void);
void sg_engine_threads_leave(void);

/* Whether the thread is registered. */
bool sg_engine_threads_has(pid_t tid);
/* Count an engine thread: `change` is 1 before its start, and -1 after its end. */
void sg_engine_threads_expect(int change);
/* Return how many of the process's threads are the engine's. A thread that is about to start or has
 * just ended may be counted as well; the first engine thread counts until just before its end. */
int sg_engine_threads_existing(void);
enum { SG_MOST_ENGINE_THREADS = 16 };
/* Write the tids of the engine's threads to `tids`, which has room for SG_MOST_ENGINE_THREADS.
 * Returns their number. */
size_t sg_engine_threads_list(uint32_t *tids);
/* Return the CPU time of all engine threads, including those that have left. */
uint64_t sg_engine_threads_cpu_ns(void);

/* Whether the calling thread does the engine's work: true for the engine's threads, and for a
 * thread of the program between begin_exempt and end_exempt. Then its allocations are not sampled,
 * and samples of its time have the frame <stackglass> alone. Async-signal-safe. */
bool sg_engine_threads_is_exempt(void);
/* Whether this thread of the program is between begin_exempt and end_exempt. */
bool sg_engine_threads_is_exempt_tid(pid_t tid);
/* Make the calling thread exempt. Returns false, and does nothing, if it was exempt already: then
 * end_exempt must not be called. */
bool sg_engine_threads_begin_exempt(void);
void sg_engine_threads_end_exempt(void);

void sg_engine_threads_forget(void); /* in a forked child */

#endif
