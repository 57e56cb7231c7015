/* The cyclic garbage collector: paused during a job, run for a client.
 *
 * A collection would run finalizers of the program in the middle of a job. It can be paused from
 * 3.10 on, where the API has the switch. Caller holds the GIL. */
#ifndef STACKGLASS_WORKER_COLLECTION_H
#define STACKGLASS_WORKER_COLLECTION_H

#include <stdbool.h>

/* Switch the collector off; returns whether it was on, and is to be resumed. */
bool sg_collection_pause(void);
void sg_collection_resume(void);
/* A full collection, as by gc.collect(). */
void sg_collection_run(void);

#endif
