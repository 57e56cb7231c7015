/* The jobs of the symboliser, done. */
#ifndef STACKGLASS_INTERPRETER_JOBS_H
#define STACKGLASS_INTERPRETER_JOBS_H

#include "symboliser.h"

/* Do `job`. Caller holds the GIL. */
void sg_interpreter_do(struct sg_job *job, struct sg_paths *paths);

#endif
