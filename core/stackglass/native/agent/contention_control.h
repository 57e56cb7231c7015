/* Contention control: the writer's side of the contention profile: hooks, drains, statuses. */
#ifndef STACKGLASS_AGENT_CONTENTION_CONTROL_H
#define STACKGLASS_AGENT_CONTENTION_CONTROL_H

#include "agent/writer_state.h"
#include "wire/requests.h"

/* Request the hooks of locks if a rate in force needs them and they are not installed. They stay
 * installed. */
void sg_contention_control_want(struct sg_writer *writer);
/* Request the hooks of locks, whatever the rates are. */
void sg_contention_control_want_locks(struct sg_writer *writer);
/* Apply the rates in force. */
void sg_contention_control_start(struct sg_writer *writer);
/* Whether blocking calls other than locks are to be hooked, unhooked, or looked for. */
bool sg_contention_control_wants_others(struct sg_writer *writer, int64_t now_ns);
/* Whether a slice of a search for lock names is due; take the result of one that is done. */
bool sg_contention_control_wants_names(struct sg_writer *writer, int64_t now_ns);
void sg_contention_control_take_names(struct sg_writer *writer, int64_t now_ns);
/* Milliseconds until the search continues, 1 to `most_ms`; `most_ms` if none is under way. */
int sg_contention_control_pause_ms(const struct sg_writer *writer, int64_t now_ns, int most_ms);
/* Drain contention if a message is due. Returns whether one is. */
bool sg_contention_control_drain(struct sg_writer *writer, int64_t now_ns);
/* Send the message, behind the Batch that it refers to. */
void sg_contention_control_send(struct sg_writer *writer, int64_t now_ns);

#endif
