/* A dump of threads and tasks, on its way to the clients that requested it.
 *
 *     slices with the GIL ──settled──▶ all code named? ── yes ─▶ ThreadDump
 *
 * The writer's alone. */
#ifndef STACKGLASS_WIRE_THREAD_DUMP_STREAM_H
#define STACKGLASS_WIRE_THREAD_DUMP_STREAM_H

#include <stdbool.h>

#include "wire/clients.h"
#include "wire/stacks.h"
#include "wire/thread_creations_stream.h"

struct sg_thread_dump_stream {
    bool is_ready; /* the current dump (threads/thread_dump.h) is complete, and to be sent */
    bool has_sent; /* an earlier one */
};

/* A slice is over, `held_ns` with the GIL, of which it ran for `cpu_ns`. */
void sg_thread_dump_stream_take(struct sg_thread_dump_stream *stream, uint64_t held_ns,
                                uint64_t cpu_ns);
/* Whether a slice of a dump is to be done next: begins one for a client that waits for it, and
 * frees one that no client waits for any more. No job is under way. A search for leaks begins once
 * the locks' hooks are installed or refused. */
bool sg_thread_dump_stream_continues(const struct sg_thread_dump_stream *stream,
                                     const struct sg_clients *clients, bool are_locks_decided);
/* Whether names are no longer waited for. */
bool sg_thread_dump_stream_is_late(void);
/* Whether all code that the dump refers to has names. Requests missing names; some seconds after
 * the dump, missing ones are "<unknown>". */
bool sg_thread_dump_stream_is_named(struct sg_stacks *stacks);
/* The highest label set in it. */
uint32_t sg_thread_dump_stream_most_labels(void);
/* The message; interns what it refers to, which has to be sent before it. */
void sg_thread_dump_stream_put(struct sg_buffer *out, struct sg_stacks *stacks,
                               const struct sg_thread_creations_stream *creations);
/* Send it to the clients that wait for one, and free the dump. */
void sg_thread_dump_stream_send(struct sg_thread_dump_stream *stream, struct sg_clients *clients,
                                const struct sg_buffer *message);
void sg_thread_dump_stream_close(struct sg_thread_dump_stream *stream);

#endif
