/* The number of processors is that of the calling thread's affinity mask. */
#include "worker_threads.h"

#include <sched.h>

static int count_spare_processors(void) {
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) < 0)
        return 0;
    int n_others = CPU_COUNT(&processors) - 1;
    return n_others < SG_MOST_WORKER_THREADS ? n_others : SG_MOST_WORKER_THREADS;
}

void sg_worker_threads_start(struct sg_worker_threads *workers, void *(*help)(void *), void *work) {
    int n_wanted = count_spare_processors();
    workers->n = 0;
    while (workers->n < n_wanted &&
           pthread_create(&workers->threads[workers->n], NULL, help, work) == 0)
        workers->n++;
}

void sg_worker_threads_join(struct sg_worker_threads *workers) {
    while (workers->n)
        pthread_join(workers->threads[--workers->n], NULL);
}
