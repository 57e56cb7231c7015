/* Lock waits stream: turns a waits-for snapshot into the message for the clients that requested it.
 *
 *     snapshot: waiters, stacks ──all named, locks sent──▶ LockWaits
 *
 * The writer owns it. */
#ifndef STACKGLASS_WIRE_LOCK_WAITS_STREAM_H
#define STACKGLASS_WIRE_LOCK_WAITS_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/hash_index.h"
#include "waits/waiters.h"
#include "wire/clients.h"
#include "wire/contention_stream.h"
#include "wire/intern.h"
#include "wire/stacks.h"
#include "worker/gil_worker.h"

struct sg_lock_waits_stream {
    bool is_ready;                /* a snapshot is complete and not sent yet */
    int64_t again_mono_ns;        /* when the second snapshot of a cycle is due; 0 = no cycle */
    struct sg_lock_waiter *waits; /* (n_waits,); owned */
    size_t n_waits;
    struct sg_stack *threads; /* (n_threads,): stacks; owned, with their frames */
    size_t n_threads;
    struct sg_hash_index by_tid; /* the first stack of each thread; empty if memory was short */
    int64_t taken_mono_ns;
};

/* Take a complete snapshot: make it ready, or wait for a second one that confirms its cycles
 * (waits/deadlocks.h). */
void sg_lock_waits_stream_take(struct sg_lock_waits_stream *stream, struct sg_job *job);
/* Return whether all its stacks have names and its locks were sent. Requests missing names; some
 * seconds after the snapshot, missing names become "<unknown>" and missing locks 0. */
bool sg_lock_waits_stream_is_sent(const struct sg_lock_waits_stream *stream,
                                  const struct sg_contention_stream *contention,
                                  struct sg_stacks *stacks);
/* Encode the message. This interns strings and nodes, which must be sent before the message. */
void sg_lock_waits_stream_put(const struct sg_lock_waits_stream *stream, struct sg_buffer *out,
                              const struct sg_contention_stream *contention,
                              struct sg_stacks *stacks);
/* Send the message to the clients that requested it and have its locks, and discard the
 * snapshot. */
void sg_lock_waits_stream_send(struct sg_lock_waits_stream *stream, struct sg_clients *clients,
                               const struct sg_buffer *message);
void sg_lock_waits_stream_close(struct sg_lock_waits_stream *stream);

/* Return whether a snapshot is due: a client that has all definitions has requested one, none waits
 * to be sent, and the pause before the second snapshot of a cycle is over. If no client wants one
 * any more, forget the cycle. */
bool sg_lock_waits_stream_wants(struct sg_lock_waits_stream *stream,
                                const struct sg_clients *clients);

#endif
