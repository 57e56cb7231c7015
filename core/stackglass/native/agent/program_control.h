/* Program control: the writer's side of the program's requests to its own engine. */
#ifndef STACKGLASS_AGENT_PROGRAM_CONTROL_H
#define STACKGLASS_AGENT_PROGRAM_CONTROL_H

#include "agent/writer_state.h"

/* Called once a turn, with all other requests: accept a new request of the program. */
void sg_program_control_take(struct sg_writer *writer);
/* Called once a turn, after rates are settled: finish the request once its hooks are on or refused,
 * or the engine leaves. */
void sg_program_control_settle(struct sg_writer *writer);

#endif
