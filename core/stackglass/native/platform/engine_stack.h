/* Engine thread on a mapped stack with a guard page, unmapped when another engine thread joins it.
 * The C library would keep the stack for later threads. */
#ifndef STACKGLASS_PLATFORM_ENGINE_STACK_H
#define STACKGLASS_PLATFORM_ENGINE_STACK_H

#include <pthread.h>
#include <stddef.h>

struct sg_engine_thread {
    pthread_t thread;
    void *stack;
    size_t stack_bytes;
};

/* Start a thread with all signals blocked: they are for the program's threads. 0 or errno. */
int sg_engine_stack_start(struct sg_engine_thread *started, void *(*run)(void *),
                          size_t stack_bytes);
/* Wait until the thread ends, and unmap its stack. */
void sg_engine_stack_join(struct sg_engine_thread *started);

#endif
