/* The jobs of the symboliser, done. */
#ifndef STACKGLASS_WORKER_GIL_JOBS_H
#define STACKGLASS_WORKER_GIL_JOBS_H

#include "worker/gil_worker.h"

/* Do `job`. Caller holds the GIL. */
void sg_gil_jobs_run(struct sg_job *job, struct sg_paths *paths);

#endif
