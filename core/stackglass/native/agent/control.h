/* The writer's side of the clients: connections, requests, and what is sent. */
#ifndef STACKGLASS_AGENT_CONTROL_H
#define STACKGLASS_AGENT_CONTROL_H

#include "agent/writer_state.h"

/* A new client, with its first messages; NULL if there is no room. `is_first`: it may take over
 * the rates that the engine was started with. */
struct sg_client *sg_control_greet(struct sg_writer *writer, int descriptor, bool is_first);
/* Let in who knocks; listen where somebody asked for it since. */
void sg_control_accept(struct sg_writer *writer);
/* Read and execute the requests of all clients, the program's own included. */
void sg_control_read_requests(struct sg_writer *writer);
/* Send detaching clients what was seen before, then have them part. Those that stay are not
 * affected. */
void sg_control_release(struct sg_writer *writer, int64_t now_ns);
/* Let nobody in any more, and take the socket away. */
void sg_control_close(struct sg_writer *writer);
/* Have all clients with a socket part; `reason` outlives them. */
void sg_control_part(struct sg_writer *writer, const char *reason);

/* Begin and end the program's own profile as it asks for. */
void sg_control_attend_self_profile(struct sg_writer *writer, int64_t now_ns);
/* Give it what it has, if it is on. */
void sg_control_hand_over(struct sg_writer *writer);

/* Have what is to be hooked for a heap profile hooked, if it is not. */
void sg_control_want_heap(struct sg_writer *writer);

/* The same bytes to everybody. */
void sg_control_report(struct sg_writer *writer, const struct sg_buffer *bytes);
/* Ready and Rates, as they are now. */
void sg_control_put_welcome(const struct sg_writer *writer, struct sg_buffer *out);
/* Everything that is new, and a Status. */
void sg_control_send(struct sg_writer *writer);

#endif
