/* An allocator below the hooks, in which a thread ends: install(domain), and end_inside(malloc),
 * which runs such a thread and returns its pthread_t. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "allocator_below.h"

static _Thread_local int is_ending;

static void *allocate(void *context, size_t size) {
    if (is_ending)
        pthread_exit(NULL);
    return below.malloc(context, size);
}

static void *end(void *hooked_malloc) {
    is_ending = 1;
    return ((void *(*)(size_t))hooked_malloc)(100);
}

uintptr_t end_inside(void *(*hooked_malloc)(size_t)) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, end, (void *)hooked_malloc))
        return 0;
    pthread_join(thread, NULL);
    return (uintptr_t)thread;
}

/* Run `work` on a thread, which gets the stack of the one that has ended. Returns its pthread_t. */
uintptr_t run(void *(*work)(void *)) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL))
        return 0;
    pthread_join(thread, NULL);
    return (uintptr_t)thread;
}
