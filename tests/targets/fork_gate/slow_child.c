/* A fork handler in which each child computes for a while, and calls nothing that could lock: until
 * then Python has not done in the child what it does after a fork. */
#include <pthread.h>
#include <time.h>

enum { N_TURNS = 1000, BUSY_NS = 60 * 1000 * 1000 };

static volatile int n_turns;

/* Return the CPU time of the calling thread, which is new in a child. */
static long read_cpu_ns(void) {
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return used.tv_sec * 1000000000L + used.tv_nsec;
}

static void compute(void) {
    while (read_cpu_ns() < BUSY_NS)
        for (n_turns = 0; n_turns < N_TURNS; n_turns++)
            continue;
}

__attribute__((visibility("default"))) int register_handler(void) {
    return pthread_atfork(NULL, NULL, compute);
}
