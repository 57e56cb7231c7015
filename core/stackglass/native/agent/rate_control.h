/* Rate control: finds the rates in force from the requests of clients, applies and reports them. */
#ifndef STACKGLASS_AGENT_RATE_CONTROL_H
#define STACKGLASS_AGENT_RATE_CONTROL_H

#include "agent/writer_state.h"
#include "wire/requests.h"

/* Store the rates that the engine was started with as requests of its first client, older than any
 * other request. */
void sg_rate_control_start(struct sg_writer *writer, const struct sg_arguments *arguments);
/* Store a client's request. It comes into force with sg_rate_control_settle. */
void sg_rate_control_request(struct sg_writer *writer, struct sg_client *client,
                             const struct sg_request *request);
/* The same for one rate of the program's own client; 0 withdraws its request. */
void sg_rate_control_request_own(struct sg_writer *writer, struct sg_client *client,
                                 enum sg_rate rate, uint64_t value);
/* Once a turn: apply the rates in force, and report them to all clients if one has changed, or if a
 * client has requested any. */
void sg_rate_control_settle(struct sg_writer *writer);

#endif
