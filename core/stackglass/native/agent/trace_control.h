/* The memory trace of a client: its begin, its end, and what is sent. */
#ifndef STACKGLASS_AGENT_TRACE_CONTROL_H
#define STACKGLASS_AGENT_TRACE_CONTROL_H

#include "agent/writer_state.h"

/* Limit for sending what a trace has left when the program ends; in two halves: names, and bytes.
 */
#define SG_TRACE_EXIT_NS (INT64_C(3) * 1000 * 1000 * 1000)

/* A client's request. */
void sg_trace_control_request(struct sg_writer *writer, struct sg_client *client,
                              const struct sg_request *request);
/* Begin the trace that the engine was started with. */
void sg_trace_control_want(struct sg_writer *writer);
/* The first client takes the trace over that the engine was started with. */
void sg_trace_control_adopt(struct sg_writer *writer, struct sg_client *client);

/* Record what bypasses Python's allocators, once both are hooked and if it was requested. */
void sg_trace_control_record_native(const struct sg_writer *writer);

/* Send what was recorded; end a trace whose client is leaving. Once a turn. */
void sg_trace_control_turn(struct sg_writer *writer, int64_t now_ns);
/* Before a trace ends, the types of its last objects are read: a program that runs for less than a
 * generation has no others. True: that is under way, for a moment. */
bool sg_trace_control_reads_last_types(struct sg_writer *writer, int64_t now_ns);
/* Record nothing more, because profiling ends. */
void sg_trace_control_stop(struct sg_writer *writer);
/* Whether something of the trace has not been sent. */
bool sg_trace_control_is_waiting(const struct sg_writer *writer);

/* Jobs: whether each is due, and its result. */
void sg_trace_control_finish_begin(struct sg_writer *writer, const char *problem);
bool sg_trace_control_reads_types(struct sg_writer *writer, int64_t now_ns);
bool sg_trace_control_ends(struct sg_writer *writer, int64_t now_ns);
void sg_trace_control_finish_end(struct sg_writer *writer);

#endif
