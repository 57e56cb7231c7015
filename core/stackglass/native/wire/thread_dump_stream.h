/* Thread dump stream: sends a dump of threads and tasks to the clients that requested it.
 *
 *     slices with the GIL ──settled──▶ all code named? ── yes ─▶ ThreadDump
 *
 * Only the writer uses it. */
#ifndef STACKGLASS_WIRE_THREAD_DUMP_STREAM_H
#define STACKGLASS_WIRE_THREAD_DUMP_STREAM_H

#include <stdbool.h>

#include "wire/clients.h"
#include "wire/label_sets.h"
#include "wire/stacks.h"
#include "wire/thread_creations_stream.h"

struct sg_thread_dump_stream {
    bool is_ready; /* the current dump (threads/thread_dump.h) is complete and not sent yet */
    bool has_sent; /* an earlier dump was sent */
};

/* Take the result of a slice, which held the GIL for `held_ns` and used `cpu_ns` of CPU time. */
void sg_thread_dump_stream_take(struct sg_thread_dump_stream *stream, uint64_t held_ns,
                                uint64_t cpu_ns);
/* Return whether a slice of a dump is to be taken next. Begins a dump for a client that waits for
 * one, and frees a dump that no client waits for any more. No job may be under way. A search for
 * leaks begins once locks are hooked or cannot be (`are_locks_decided`). */
bool sg_thread_dump_stream_continues(const struct sg_thread_dump_stream *stream,
                                     const struct sg_clients *clients, bool are_locks_decided);
/* Return whether the dump no longer waits for names. */
bool sg_thread_dump_stream_is_late(void);
/* Return whether all code that the dump refers to has names. Requests missing names; some seconds
 * after the dump, missing names become "<unknown>". */
bool sg_thread_dump_stream_is_named(struct sg_stacks *stacks);
/* Note which label sets the dump refers to. */
void sg_thread_dump_stream_need_labels(struct sg_label_sets *sets);
/* Encode the message. This interns strings and nodes, which must be sent before the message. */
void sg_thread_dump_stream_put(struct sg_buffer *out, struct sg_stacks *stacks,
                               const struct sg_thread_creations_stream *creations);
/* Send the message to the clients that wait for one, and free the dump. */
void sg_thread_dump_stream_send(struct sg_thread_dump_stream *stream, struct sg_clients *clients,
                                const struct sg_buffer *message);
void sg_thread_dump_stream_close(struct sg_thread_dump_stream *stream);

#endif
