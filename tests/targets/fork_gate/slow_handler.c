/* A fork handler that takes long and calls nothing: whoever forks is nearly always in it. Up to
 * glibc 2.35 the C library holds the lock of its list of handlers meanwhile. */
#include <pthread.h>

enum { N_TURNS = 50 * 1000 * 1000 };

static volatile int n_turns;

static void prepare(void) {
    for (n_turns = 0; n_turns < N_TURNS; n_turns++)
        continue;
}

__attribute__((visibility("default"))) int register_handler(void) {
    return pthread_atfork(prepare, NULL, NULL);
}
