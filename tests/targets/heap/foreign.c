/* Threads that have never heard of Python note blocks: run(note_malloc, note_free, threads,
 * rounds).
 *
 * Every block is noted before it is used and struck off before it is freed, so that one address is
 * another thread's in the next moment. */
#include <pthread.h>
#include <stdlib.h>

typedef void note_malloc_fn(const void *address, size_t size);
typedef void note_free_fn(const void *address);

struct job {
    note_malloc_fn *note_malloc;
    note_free_fn *note_free;
    long n_rounds;
    unsigned seed;
};

enum { N_KEPT = 64 };

static void *work(void *argument) {
    struct job *job = argument;
    void *kept[N_KEPT] = {0};
    for (long i = 0; i < job->n_rounds; i++) {
        int at = rand_r(&job->seed) % N_KEPT;
        size_t size = 1 + (size_t)rand_r(&job->seed) % 2000;
        if (kept[at]) {
            job->note_free(kept[at]);
            free(kept[at]);
        }
        kept[at] = malloc(size);
        job->note_malloc(kept[at], size);
    }
    for (int at = 0; at < N_KEPT; at++) {
        if (kept[at]) {
            job->note_free(kept[at]);
            free(kept[at]);
        }
    }
    return NULL;
}

int run(note_malloc_fn *note_malloc, note_free_fn *note_free, int n_threads, long n_rounds) {
    enum { MAX_THREADS = 16 };
    pthread_t threads[MAX_THREADS];
    struct job jobs[MAX_THREADS];
    int n = 0;
    for (; n < n_threads && n < MAX_THREADS; n++) {
        jobs[n] = (struct job){note_malloc, note_free, n_rounds, (unsigned)n + 1};
        if (pthread_create(&threads[n], NULL, work, &jobs[n]))
            break;
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return n;
}
