/* Code names: the job that copies names and line tables of code objects while they live, so that
 * the writer can use them without the GIL. */
#ifndef STACKGLASS_WORKER_CODE_NAMES_H
#define STACKGLASS_WORKER_CODE_NAMES_H

#include <stdbool.h>

#include "frames/module_names.h"
#include "worker/job.h"

/* Fill in the info of the job's code objects; a code object that was freed gets none. The caller
 * holds the GIL. */
void sg_code_names_copy(struct sg_job *job, struct sg_paths *paths);

/* Copy the info of one code object without the GIL, by reads that cannot fault. On 3.9 and 3.10
 * its qualified name is its name alone. Returns false if the code object has been freed, or is
 * freed meanwhile. Called only while code objects are numbered; the writer calls this. */
bool sg_code_names_copy_without_gil(sg_code_id id, struct sg_code_info *info);

#endif
