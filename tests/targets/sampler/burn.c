/* CPU time in C, on the caller's thread and on one that Python never hears of; and idle threads. */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

enum { IDLE_STACK_BYTES = 64 * 1024 };

static sem_t ends; /* counts the idle threads that may end */

void burn_ms(long ms) {
    struct timespec now;
    volatile unsigned long turns = 0;
    long long end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    end = now.tv_sec * 1000LL + now.tv_nsec / 1000000 + ms;
    do {
        for (int i = 0; i < 200000; i++)
            turns += (unsigned long)i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_sec * 1000LL + now.tv_nsec / 1000000 < end);
}

static void *burn(void *ms) {
    burn_ms((long)ms);
    return NULL;
}

void run_foreign_ms(long ms) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, burn, (void *)ms) == 0)
        pthread_join(thread, NULL);
}

static void *idle(void *unused) {
    (void)unused;
    while (sem_wait(&ends) != 0) {
    }
    return NULL;
}

/* Start `n` threads that wait, which may be called once. Returns how many could be started. */
int start_idle(int n) {
    pthread_attr_t attributes;
    pthread_t thread;
    int n_started = 0;
    sem_init(&ends, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, IDLE_STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (n_started < n && pthread_create(&thread, &attributes, idle, NULL) == 0)
        n_started++;
    pthread_attr_destroy(&attributes);
    return n_started;
}

void end_idle(int n) {
    while (n-- > 0)
        sem_post(&ends);
}
