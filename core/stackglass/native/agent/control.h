/* Control: connections, requests, the self profile, and everything that is sent to clients. */
#ifndef STACKGLASS_AGENT_CONTROL_H
#define STACKGLASS_AGENT_CONTROL_H

#include "agent/writer_state.h"

/* A new client, with its first messages; NULL if there are too many, or no memory. `is_first`: it
 * may take over the rates that the engine was started with. */
struct sg_client *sg_control_greet(struct sg_writer *writer, int descriptor, bool is_first);
/* Accept connections if there may be any; listen at the socket of a later entry. */
void sg_control_accept(struct sg_writer *writer, bool may_have_any);
/* Read and execute the requests of all clients. */
void sg_control_read_requests(struct sg_writer *writer);
/* Send detaching clients everything from before their Detach, then have them part. Other clients
 * are not affected. */
void sg_control_release(struct sg_writer *writer, int64_t now_ns);
/* Accept no more connections, and remove the socket. */
void sg_control_close(struct sg_writer *writer);
/* Have all clients with a socket part; `reason` outlives them. */
void sg_control_part(struct sg_writer *writer, const char *reason);

/* Begin and end the self profile as the program requests. */
void sg_control_serve_self_profile(struct sg_writer *writer, int64_t now_ns);
/* Hand the self profile to the program, if one runs. */
void sg_control_hand_over(struct sg_writer *writer);

/* Ready and Rates, as they are now. */
void sg_control_put_greeting(const struct sg_writer *writer, struct sg_buffer *out);
/* Everything that is new, and a Status. */
void sg_control_send(struct sg_writer *writer);

#endif
