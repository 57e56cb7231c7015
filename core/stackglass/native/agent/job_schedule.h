/* Job schedule: which job the worker gets next, and what the writer does with its result. Only the
 * writer calls these functions. */
#ifndef STACKGLASS_AGENT_JOB_SCHEDULE_H
#define STACKGLASS_AGENT_JOB_SCHEDULE_H

#include "agent/writer_state.h"

/* Post PREPARE, the first job. */
void sg_job_schedule_begin(struct sg_writer *writer);
/* Post the most urgent job that is due, unless one is under way. */
void sg_job_schedule_post_next(struct sg_writer *writer, int64_t now_ns);
/* If the posted job is done, take its result; while it is not, help the worker to get the GIL. */
void sg_job_schedule_finish(struct sg_writer *writer, int64_t now_ns);

#endif
