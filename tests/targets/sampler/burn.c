/* CPU time in C: on the caller's thread, and on one that Python never hears of. */
#include <pthread.h>
#include <stddef.h>
#include <time.h>

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
