/* Garbage collection: CPython's cyclic collector is paused during a job, run at a client's request.
 *
 * A collection would run finalizers of the program in the middle of a job. It can be paused from
 * 3.10 on, where the API has the switch. The caller holds the GIL. */
#ifndef STACKGLASS_WORKER_COLLECTION_H
#define STACKGLASS_WORKER_COLLECTION_H

#include <stdbool.h>

/* Switch the collector off. Returns whether it was on, so that the caller must resume it. */
bool sg_collection_pause(void);
void sg_collection_resume(void);
/* Run a full collection, as gc.collect() does. */
void sg_collection_run(void);

#endif
