/* A stack for an engine thread that another engine thread joins: a mapping of its own, with a page
 * below it that cannot be touched. The C library keeps the stacks that it has made for threads to
 * come; this one goes back to the system. */
#ifndef STACKGLASS_PLATFORM_ENGINE_STACK_H
#define STACKGLASS_PLATFORM_ENGINE_STACK_H

#include <pthread.h>
#include <stddef.h>

struct sg_engine_thread {
    pthread_t thread;
    void *stack;
    size_t stack_bytes;
};

/* Start a thread with all signals blocked, which are the program's. 0 or errno. */
int sg_engine_stack_start(struct sg_engine_thread *started, void *(*run)(void *),
                          size_t stack_bytes);
/* Wait for its end, and give the stack back. */
void sg_engine_stack_join(struct sg_engine_thread *started);

#endif
