/* Threads that C code starts: each starts another one, and stays until it is released. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

struct pair {
    pthread_t threads[2];
    _Atomic int tids[2];
    _Atomic int is_over;
    int error;
};

static struct pair pairs[8];

static void stay(struct pair *pair, int which) {
    atomic_store(&pair->tids[which], (int)syscall(SYS_gettid));
    while (!atomic_load(&pair->is_over))
        usleep(1000);
}

static void *run_second(void *pair) {
    stay(pair, 1);
    return NULL;
}

static void *run_first(void *argument) {
    struct pair *pair = argument;
    pair->error |= pthread_create(&pair->threads[1], NULL, run_second, pair);
    stay(pair, 0);
    pthread_join(pair->threads[1], NULL);
    return NULL;
}

static int (*volatile create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Keep a copy of the pointer that the import table has now, and use that from now on. */
EXPORTED void copy_pointer(void) { create = pthread_create; }

/* 0, or why it failed. The tids are there once both threads run. */
EXPORTED int start_pair(int which) {
    struct pair *pair = &pairs[which];
    if (create)
        return create(&pair->threads[0], NULL, run_first, pair);
    return pthread_create(&pair->threads[0], NULL, run_first, pair);
}

EXPORTED int tid_of(int which, int thread) { return atomic_load(&pairs[which].tids[thread]); }

EXPORTED void end_pair(int which) {
    atomic_store(&pairs[which].is_over, 1);
    pthread_join(pairs[which].threads[0], NULL);
}
