/* Start and join of a thread on a mapped stack. */
#include "platform/engine_stack.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

#include "platform/memory.h"

enum { GUARD_BYTES = 64 * 1024 }; /* the largest page size of the supported machines */

int sg_engine_stack_start(struct sg_engine_thread *started, void *(*run)(void *),
                          size_t stack_bytes) {
    pthread_attr_t attributes;
    sigset_t all, before;
    started->stack_bytes = stack_bytes + GUARD_BYTES;
    started->stack = sg_memory_map(started->stack_bytes);
    if (!started->stack)
        return ENOMEM;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    int failed = mprotect(started->stack, GUARD_BYTES, PROT_NONE) ? errno : 0;
    if (!failed)
        failed =
            pthread_attr_setstack(&attributes, (char *)started->stack + GUARD_BYTES, stack_bytes);
    if (!failed) {
        pthread_sigmask(SIG_SETMASK, &all, &before);
        failed = pthread_create(&started->thread, &attributes, run, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
    if (failed)
        sg_memory_unmap(started->stack, started->stack_bytes);
    return failed;
}

void sg_engine_stack_join(struct sg_engine_thread *started) {
    pthread_join(started->thread, NULL);
    sg_memory_unmap(started->stack, started->stack_bytes);
}
