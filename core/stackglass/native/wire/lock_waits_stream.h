/* Who waits for whom, on its way to the clients who asked.
 *
 *     one job: who waits, every thread's stack ──all named, locks told──▶ LockWaits
 *
 * The writer's alone. */
#ifndef STACKGLASS_WIRE_LOCK_WAITS_STREAM_H
#define STACKGLASS_WIRE_LOCK_WAITS_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "waits/waiters.h"
#include "wire/clients.h"
#include "wire/contention_stream.h"
#include "wire/intern.h"
#include "wire/stacks.h"
#include "worker/gil_worker.h"

struct sg_lock_waits_stream {
    bool is_ready;                /* there is something to be sent */
    int64_t again_mono_ns;        /* when to look again at circles; 0 = no circle is watched */
    struct sg_lock_waiter *waits; /* (n_waits,); owned */
    size_t n_waits;
    struct sg_stack *threads; /* (n_threads,): where each stood; owned, as are their frames */
    size_t n_threads;
    int64_t taken_mono_ns;
};

/* A look is complete: send it, or look again to see what its circles are (waits/deadlocks.h). */
void sg_lock_waits_stream_take(struct sg_lock_waits_stream *feed, struct sg_job *job);
/* Whether all that it refers to has names, and its locks have been told. Asks for those that are
 * missing; some seconds after it was taken, what is missing is "<unknown>" and 0. */
bool sg_lock_waits_stream_is_sent(const struct sg_lock_waits_stream *feed,
                                  const struct sg_contention_stream *contention,
                                  struct sg_stacks *stacks);
/* The message; interns what it refers to, which has to be sent before it. */
void sg_lock_waits_stream_put(const struct sg_lock_waits_stream *feed, struct sg_buffer *out,
                              const struct sg_contention_stream *contention,
                              struct sg_stacks *stacks);
/* Tell it to those who want it and know its locks, and forget it. */
void sg_lock_waits_stream_send(struct sg_lock_waits_stream *feed, struct sg_clients *clients,
                               const struct sg_buffer *message);
void sg_lock_waits_stream_close(struct sg_lock_waits_stream *feed);

/* Whether a client wants it and knows all that it could refer to, and it is time to look. */
bool sg_lock_waits_stream_wants(const struct sg_lock_waits_stream *feed,
                                const struct sg_clients *clients);

#endif
