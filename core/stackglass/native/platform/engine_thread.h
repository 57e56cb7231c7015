/* Engine thread: starts a thread of the engine, and joins it.
 *
 * Each one blocks all signals, which are for the program's threads; has the engine's name; is in
 * the registry (engine_threads.h); and shares the program's malloc arena (thread_arena.h). */
#ifndef STACKGLASS_PLATFORM_ENGINE_THREAD_H
#define STACKGLASS_PLATFORM_ENGINE_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A thread on a mapped stack with a guard page, unmapped by the join. The C library would keep the
 * stack for later threads. The members belong to engine_thread.c. */
struct sg_engine_thread {
    pthread_t thread;
    void *stack;
    size_t stack_bytes;
    void (*run)(void);
    _Atomic pid_t tid; /* 0 = has not begun */
};

/* Start a thread; `started` stays where it is until the join. 0 or errno. */
int sg_engine_thread_start(struct sg_engine_thread *started, void (*run)(void), size_t stack_bytes);
/* Why a start failed with this errno, and what to do about it: text to put after a colon. */
const char *sg_engine_thread_explain(int error);
/* Wait until the thread ends and the system no longer counts it, and unmap its stack. By another
 * engine thread. */
void sg_engine_thread_join(struct sg_engine_thread *started);

/* The first engine thread, which no other one joins. */
struct sg_first_thread {
    void (*run)(void);
    void (*ended)(void); /* its last act */
    int calls;           /* for sg_permitted_calls_begin, which it calls first */
    size_t stack_bytes;
};
/* Start it. The caller is a thread of the program that has used malloc (thread_arena.h), and the
 * first thread of an earlier attach has ended. 0 or errno. */
int sg_engine_thread_start_first(const struct sg_first_thread *wanted);
/* Does it exist? True until the system no longer counts it. Any thread. */
bool sg_engine_thread_first_exists(void);

/* By an engine thread: have the kernel end its sleeps on time. */
void sg_engine_thread_sleep_exactly(void);

#endif
