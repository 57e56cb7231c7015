/* Control: connections, requests, the self profile, and everything that is sent to clients. */
#ifndef STACKGLASS_AGENT_CONTROL_H
#define STACKGLASS_AGENT_CONTROL_H

#include "agent/writer_state.h"

/* Restore `had_any` after a request of the program has added a client, if the engine listens: then
 * it still waits for the client that it was started for. */
void sg_control_keep_waiting(struct sg_writer *writer, bool had_any);
/* Add a client and put its first messages. Returns NULL if there are too many clients, or memory is
 * short. With `is_first` the client takes over the rates and the memory trace that the engine was
 * started with, unless an earlier client has; without, the engine still waits for that client. */
struct sg_client *sg_control_greet(struct sg_writer *writer, int descriptor, bool is_first);
/* If the engine does not listen yet, or the file of its socket is gone, listen at the socket of a
 * later entry. Accept connections if `may_have_any`. */
void sg_control_accept(struct sg_writer *writer, bool may_have_any);
/* Read and execute the requests of all clients. */
void sg_control_read_requests(struct sg_writer *writer);
/* Send each detaching client everything from before its Detach, then a Bye (sg_client_part). Other
 * clients are not affected. */
void sg_control_release(struct sg_writer *writer, int64_t now_ns);
/* Accept no more connections, and remove the socket. */
void sg_control_close(struct sg_writer *writer);
/* Send a Bye with `reason` to all clients that have a socket, and then close it. `reason` has to
 * outlive them. */
void sg_control_part(struct sg_writer *writer, const char *reason);

/* Begin the self profile, hand over what it has so far, and end it, as the program requests. */
void sg_control_serve_self_profile(struct sg_writer *writer, int64_t now_ns);
/* End the self profile, if one runs: the engine may leave without its client. */
void sg_control_end_self_profile(struct sg_writer *writer);
/* Hand the self profile to the program, if it has ended. Called in the same turn, once it is known
 * whether the engine leaves: the program then waits while the engine is leaving. */
void sg_control_hand_over(struct sg_writer *writer);

/* Put the messages Ready and Rates with the present values. */
void sg_control_put_greeting(const struct sg_writer *writer, struct sg_buffer *out);
/* Send everything that is new, and a Status. */
void sg_control_send(struct sg_writer *writer);

#endif
