/* The thread that owns the profile: drains, names, encodes, sends; see agent.h. */
#ifndef STACKGLASS_AGENT_WRITER_H
#define STACKGLASS_AGENT_WRITER_H

#include "agent/arguments.h"

/* The writer's life, on the calling thread: until nobody watches any more. */
void sg_writer_run(const struct sg_arguments *arguments);

#endif
