/* Engine thread: starts a thread of the engine, and joins it.
 *
 * Each engine thread blocks all signals, which are for the program's threads; has the engine's
 * name, and no real-time priority; is in the registry (engine_threads.h); and shares the program's
 * malloc arena (thread_arena.h). */
#ifndef STACKGLASS_PLATFORM_ENGINE_THREAD_H
#define STACKGLASS_PLATFORM_ENGINE_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A thread on a mapped stack with a guard page; the join unmaps the stack, which the C library
 * would keep for later threads. The members belong to engine_thread.c. */
struct sg_engine_thread {
    pthread_t thread;
    void *stack;
    size_t stack_bytes;
    void (*run)(void);
    _Atomic pid_t tid; /* 0 = has not begun */
};

/* Start a thread; `started` must stay where it is until the join. Returns 0 or errno. */
int sg_engine_thread_start(struct sg_engine_thread *started, void (*run)(void), size_t stack_bytes);
/* Return why a start failed with this errno, and what to do about it: text to put after a colon. */
const char *sg_engine_thread_explain(int error);
/* Wait until the thread ends and the system no longer counts it, and unmap its stack. Called by
 * another engine thread. */
void sg_engine_thread_join(struct sg_engine_thread *started);

/* The first engine thread, which no other engine thread joins. */
struct sg_first_thread {
    void (*run)(void);
    void (*ended)(void); /* called last, after `run` */
    int calls;           /* for sg_permitted_calls_begin, which the thread calls before `run` */
    size_t stack_bytes;
};
/* Start the first engine thread. The caller is a thread of the program that has used malloc
 * (thread_arena.h), and the first thread of an earlier attach has ended. Returns 0 or errno. */
int sg_engine_thread_start_first(const struct sg_first_thread *wanted);
/* Whether the first engine thread exists: true until the system no longer counts it. Any thread. */
bool sg_engine_thread_first_exists(void);

/* Have the kernel end the calling thread's sleeps on time (timer slack of 1 ns). Called by engine
 * threads. */
void sg_engine_thread_sleep_exactly(void);

#endif
