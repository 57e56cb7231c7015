/* GIL jobs: the functions of the jobs that run with the GIL. */
#ifndef STACKGLASS_WORKER_GIL_JOBS_H
#define STACKGLASS_WORKER_GIL_JOBS_H

#include "frames/module_names.h"
#include "worker/job.h"

/* Run `job`. Caller holds the GIL. */
void sg_gil_jobs_run(struct sg_job *job, struct sg_paths *paths);

#endif
