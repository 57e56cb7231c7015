/* Heap control: the writer's side of the heap profile: hooks, drains, statuses. */
#ifndef STACKGLASS_AGENT_HEAP_CONTROL_H
#define STACKGLASS_AGENT_HEAP_CONTROL_H

#include "agent/writer_state.h"

/* Request the hooks of the allocators if a rate in force needs them and they are not installed. */
void sg_heap_control_want(struct sg_writer *writer);
/* Drain the heap if a message is due. Returns whether one is. */
bool sg_heap_control_drain(struct sg_writer *writer, int64_t now_ns);
/* Send the message, behind the Batch that it refers to. */
void sg_heap_control_send(struct sg_writer *writer, int64_t now_ns);

/* If it was requested, record memory that bypasses Python's allocators, once Python's allocators
 * and the imports of libraries are hooked. */
void sg_heap_control_record_native(struct sg_writer *writer);

#endif
