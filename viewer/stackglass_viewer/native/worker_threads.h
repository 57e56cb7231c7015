/* Worker threads, which run a loop together with the calling thread. They use no Python object. */
#ifndef SG_WORKER_THREADS_H
#define SG_WORKER_THREADS_H

#include <pthread.h>

enum { SG_MOST_WORKER_THREADS = 3 };

struct sg_worker_threads {
    pthread_t threads[SG_MOST_WORKER_THREADS];
    int n;
};

/* Start `help(work)` in one thread for each processor that the caller may use, except one for the
 * caller itself; at most SG_MOST_WORKER_THREADS. There may be no such processor, or a thread may
 * fail to start, so the caller must run the loop, too. */
void sg_worker_threads_start(struct sg_worker_threads *workers, void *(*help)(void *), void *work);

/* Wait until all have ended. */
void sg_worker_threads_join(struct sg_worker_threads *workers);

#endif
