/* Threads whose functions are known by construction, and one whose function is not. */

#include <pthread.h>

static volatile int n_rounds;

static void *work(void *unused) {
    n_rounds++;
    return unused;
}

static void *rest(void *unused) {
    n_rounds--;
    return unused;
}

/* Of another file. */
void *choose(void *first, void *(*second)(void *), void *(*third)(void *));

int start_work(pthread_t *thread) { return pthread_create(thread, 0, work, 0); }

/* What is in rdx for the first call is not there for the second. */
int start_any(pthread_t *thread, void *(*any)(void *)) {
    void *argument = choose(thread, any, rest);
    return pthread_create(thread, 0, any, argument);
}
