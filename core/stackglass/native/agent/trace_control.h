/* Trace control: begins and ends the memory trace of a client, and sends it. */
#ifndef STACKGLASS_AGENT_TRACE_CONTROL_H
#define STACKGLASS_AGENT_TRACE_CONTROL_H

#include "agent/writer_state.h"

/* How long the program's exit may wait for the rest of a trace to be sent: one half for names, the
 * other for bytes. */
#define SG_TRACE_EXIT_NS (INT64_C(3) * 1000 * 1000 * 1000)

/* Execute a client's request to begin or to end a trace. */
void sg_trace_control_request(struct sg_writer *writer, struct sg_client *client,
                              const struct sg_request *request);
/* Request the trace that the engine was started with, if any. */
void sg_trace_control_want(struct sg_writer *writer);
/* Make `client`, the first one, the owner of the trace that the engine was started with, if any. */
void sg_trace_control_adopt(struct sg_writer *writer, struct sg_client *client);

/* If it was requested, record memory that bypasses Python's allocators, once the trace has begun
 * and the imports of libraries are hooked. */
void sg_trace_control_record_native(const struct sg_writer *writer);

/* Send what was recorded, and end a trace whose client is leaving. The writer calls this once a
 * turn. */
void sg_trace_control_turn(struct sg_writer *writer, int64_t now_ns);
/* Before a trace ends, the types of its last objects are read: a program that runs for less than a
 * generation has no others. Returns whether that is still under way, which takes a fraction of a
 * second. */
bool sg_trace_control_reads_last_types(struct sg_writer *writer, int64_t now_ns);
/* Record nothing more, because profiling ends. */
void sg_trace_control_stop(struct sg_writer *writer);
/* Whether something of the trace has not been sent. */
bool sg_trace_control_is_waiting(const struct sg_writer *writer);

/* Jobs of the trace: whether each is due, and what is done with its result. */
void sg_trace_control_finish_begin(struct sg_writer *writer, const char *problem);
bool sg_trace_control_reads_types(struct sg_writer *writer, int64_t now_ns);
bool sg_trace_control_ends(struct sg_writer *writer, int64_t now_ns);
void sg_trace_control_finish_end(struct sg_writer *writer);

#endif
