/* Preloaded: while held, threads that are started do not begin. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int creator(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

struct start {
    void *(*run)(void *);
    void *argument;
};

static _Atomic int is_held;

__attribute__((visibility("default"))) void hold_births(int is_to_be_held) {
    atomic_store(&is_held, is_to_be_held);
}

static void *begin_when_released(void *given) {
    struct start start = *(struct start *)given;
    free(given);
    while (atomic_load(&is_held))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return start.run(start.argument);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*run)(void *), void *argument) {
    creator *create;
    void *symbol = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&create, &symbol, sizeof create);
    struct start *start = malloc(sizeof *start);
    if (!start)
        return create(thread, attributes, run, argument);
    *start = (struct start){run, argument};
    return create(thread, attributes, begin_when_released, start);
}
