/* Program facts: what a program says of itself, read without running its code. Caller holds the
 * GIL.
 */
#ifndef STACKGLASS_WORKER_PROGRAM_FACTS_H
#define STACKGLASS_WORKER_PROGRAM_FACTS_H

#include "worker/job.h"

/* The interpreter's version and executable, the arguments, and a child process's name. */
void sg_program_facts_learn(struct sg_interpreter *interpreter);
/* A child process's name alone; "" = it has none (yet). The caller owns it; NULL = no memory. */
char *sg_program_facts_find_process_name(void);
/* The names in threading's list of threads, if the module is loaded. */
void sg_program_facts_learn_threads(struct sg_job *job);

#endif
