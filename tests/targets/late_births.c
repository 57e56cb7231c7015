/* Preloaded: each thread begins two milliseconds after it was started. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int creator(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

struct start {
    void *(*run)(void *);
    void *argument;
};

static void *begin_late(void *given) {
    struct start start = *(struct start *)given;
    free(given);
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
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
    return create(thread, attributes, begin_late, start);
}
