/* Code names: the job that copies names and line tables of code objects while they live, so that
 * the writer can use them without the GIL. */
#ifndef STACKGLASS_WORKER_CODE_NAMES_H
#define STACKGLASS_WORKER_CODE_NAMES_H

#include "frames/module_names.h"
#include "worker/job.h"

/* Fill in the facts of the job's code objects; a code object that was freed gets none. The caller
 * holds the GIL. */
void sg_code_names_copy(struct sg_job *job, struct sg_paths *paths);

#endif
