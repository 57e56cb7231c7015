/* The writer's side of contention: what clients ask for, when it is drained, what they are told. */
#ifndef STACKGLASS_AGENT_CONTENTION_CONTROL_H
#define STACKGLASS_AGENT_CONTENTION_CONTROL_H

#include "agent/writer_state.h"
#include "wire/requests.h"

/* Have locks hooked if they are not, and if a rate in force wants it. Once hooked they stay. */
void sg_contention_control_want(struct sg_writer *writer);
/* The rates that are asked for come into force. */
void sg_contention_control_start(struct sg_writer *writer);
/* Whether other waits are to be hooked now, let go of, or looked for. */
bool sg_contention_control_wants_others(const struct sg_writer *writer, int64_t now_ns);
/* Whether a search for lock names is due; and how to publish the names that it found. */
bool sg_contention_control_wants_names(const struct sg_writer *writer, int64_t now_ns);
void sg_contention_control_take_names(struct sg_writer *writer, int64_t now_ns);
/* For how long nothing is to be done for them, 1 to `most_ms`. */
int sg_contention_control_pause_ms(const struct sg_writer *writer, int64_t now_ns, int most_ms);
/* Whether clients are to be told now; then what there is has been taken in. */
bool sg_contention_control_drain(struct sg_writer *writer, int64_t now_ns);
/* Tell them, behind the Batch that it refers to. */
void sg_contention_control_send(struct sg_writer *writer, int64_t now_ns);

#endif
