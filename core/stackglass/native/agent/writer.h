/* Writer: the engine's thread that owns the profile. It drains samples, has their code named,
 * encodes messages and sends them to clients. */
#ifndef STACKGLASS_AGENT_WRITER_H
#define STACKGLASS_AGENT_WRITER_H

#include "agent/arguments.h"

/* Run the writer on the calling thread, until the engine leaves. */
void sg_writer_run(const struct sg_arguments *arguments);

#endif
