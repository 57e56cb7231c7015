/* Program facts: a program's version, arguments and names, read without running its code. The
 * caller holds the GIL. */
#ifndef STACKGLASS_WORKER_PROGRAM_FACTS_H
#define STACKGLASS_WORKER_PROGRAM_FACTS_H

#include "worker/job.h"

/* Read the interpreter's version and executable, the arguments, and the name of a child process. */
void sg_program_facts_learn(struct sg_interpreter *interpreter);
/* Return only the child process's name, which the caller owns; "" = it has none (yet), NULL =
 * memory is short. */
char *sg_program_facts_find_process_name(void);
/* Read the names in threading's list of threads, if the module is loaded. */
void sg_program_facts_learn_threads(struct sg_job *job);

#endif
