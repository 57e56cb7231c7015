/* GIL jobs: runs a job that needs the GIL. */
#ifndef STACKGLASS_WORKER_GIL_JOBS_H
#define STACKGLASS_WORKER_GIL_JOBS_H

#include "frames/module_names.h"
#include "worker/job.h"

/* Run `job`. The caller holds the GIL. */
void sg_gil_jobs_run(struct sg_job *job, struct sg_paths *paths);

#endif
