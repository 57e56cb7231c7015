/* The writer's side of rates: requests noted, what is in force applied and reported. */
#ifndef STACKGLASS_AGENT_RATE_CONTROL_H
#define STACKGLASS_AGENT_RATE_CONTROL_H

#include "agent/writer_state.h"
#include "wire/requests.h"

/* What an engine was started with counts as asked for by its first client, and yields to whatever
 * any client has asked for. */
void sg_rate_control_start(struct sg_writer *writer, const struct sg_arguments *arguments);
/* Note what a client asks for. It comes into force with sg_rate_control_settle. */
void sg_rate_control_request(struct sg_writer *writer, struct sg_client *client,
                             const struct sg_request *request);
/* The same for one rate of the program's own client; 0 withdraws what it asked for. */
void sg_rate_control_request_own(struct sg_writer *writer, struct sg_client *client,
                                 enum sg_rate rate, uint64_t value);
/* Once a turn: apply what is in force with the clients that are there, and report it to all of
 * them if it has changed, or if any of them has asked. */
void sg_rate_control_settle(struct sg_writer *writer);

#endif
