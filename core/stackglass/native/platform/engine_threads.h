/* Registry of the engine's threads: never sampled, their CPU time and allocations not counted as
 * the program's. Lock-free; any thread. */
#ifndef STACKGLASS_PLATFORM_ENGINE_THREADS_H
#define STACKGLASS_PLATFORM_ENGINE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Register the calling thread, until it leaves, which it does before it ends. */
void sg_engine_threads_enter(void);
void sg_engine_threads_leave(void);

bool sg_engine_threads_has(pid_t tid);
/* One more (1) before its start, one less (-1) after its end. */
void sg_engine_threads_expect(int change);
/* How many of the process's threads are the engine's. One that is about to start or has just ended
 * may count as well; the first one counts until just before its end. */
int sg_engine_threads_existing(void);
enum { SG_MOST_ENGINE_THREADS = 16 };
/* Write their tids to `tids`, which has room for SG_MOST_ENGINE_THREADS; returns how many. */
size_t sg_engine_threads_list(uint32_t *tids);
/* CPU time of all of them, including those that have left. */
uint64_t sg_engine_threads_cpu_ns(void);

/* Does the calling thread do the engine's work? True for the engine's threads, and for a thread of
 * the program between begin and end: then its allocations are not sampled, and samples of its time
 * have the frame <stackglass> alone. Async-signal-safe. */
bool sg_engine_threads_is_exempt(void);
/* Whether this thread of the program is between begin and end. */
bool sg_engine_threads_is_exempt_tid(pid_t tid);
/* False, with nothing done, if the calling thread was exempt already: then no end follows. */
bool sg_engine_threads_begin_exempt(void);
void sg_engine_threads_end_exempt(void);

void sg_engine_threads_forget(void); /* in a forked child */

#endif
