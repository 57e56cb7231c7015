/* Listener: the engine's end of the socket to which clients connect. Only the writer calls this. */
#ifndef STACKGLASS_AGENT_LISTENER_H
#define STACKGLASS_AGENT_LISTENER_H

#include <stdbool.h>

#include "agent/writer_state.h"

/* Listen at the socket of the writer's arguments. Returns false if that fails; the failure is then
 * where the client reads it (platform/failure.h). */
bool sg_listener_open(struct sg_writer *writer);
/* If a later entry has offered a socket, and clients cannot reach the engine's own, listen there
 * instead. */
void sg_listener_take_offer(struct sg_writer *writer);

#endif
