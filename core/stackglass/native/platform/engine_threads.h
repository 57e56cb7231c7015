/* Which threads are the engine's own, and what CPU time they cost: never sampled, never counted as
 * the program's. Lock-free; any thread. */
#ifndef STACKGLASS_PLATFORM_ENGINE_THREADS_H
#define STACKGLASS_PLATFORM_ENGINE_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

bool sg_engine_threads_has(pid_t tid);
int sg_engine_threads_count(void);
void sg_engine_threads_add(pid_t tid);
/* Called by the thread itself, as it ends. */
void sg_engine_threads_remove(pid_t tid);
/* CPU time of all of them, living and dead. */
uint64_t sg_engine_threads_cpu_ns(void);
void sg_engine_threads_forget(void);

/* What the calling thread allocates from here on is the engine's, until it leaves: the heap
 * profiler passes it over. Entering twice counts once. */
void sg_engine_threads_enter(void);
void sg_engine_threads_leave(void);
/* Has the calling thread entered? A load where no thread has. */
bool sg_engine_threads_has_entered(void);
void sg_engine_threads_forget_entered(void); /* in a forked child */

/* A clock's reading in ns; 0 if there is no such clock (the thread has ended). */
uint64_t sg_engine_threads_clock_ns(clockid_t clock);
/* The CPU clock of any thread of this process. */
static inline clockid_t sg_thread_clock(pid_t tid) { return (clockid_t)(~(uint32_t)tid << 3 | 6); }

#endif
