/* ThreadCreations: the stacks that started threads, with how many threads each has started, and how
 * many of these live.
 *
 *     hook's list ─▶ pending: its code has no names yet ─▶ sites ─▶ clients that asked
 *                                                          threads ─▶ creators, for dumps
 *
 * A thread is alive as long as it has a CPU clock. The system reuses a thread id only after all
 * others; long before that the writer has noticed the thread's end. Owned by the writer. */
#ifndef STACKGLASS_WIRE_THREAD_CREATIONS_STREAM_H
#define STACKGLASS_WIRE_THREAD_CREATIONS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "platform/vector.h"
#include "threads/creations.h"
#include "wire/clients.h"
#include "wire/stacks.h"

/* A thread that was alive at the last check. */
struct sg_created_thread {
    pid_t tid, creator; /* creator 0 = not known */
    uint32_t site;
};

struct sg_created_threads SG_ROWS_OF(struct sg_created_thread);

struct sg_creation_site {
    uint32_t node;        /* its stack */
    uint64_t ever, alive; /* threads started there; those that live, counted when it is sent */
};
struct sg_creation_sites SG_ROWS_OF(struct sg_creation_site);

struct sg_thread_creations_stream {
    struct sg_creation *pending;    /* newest first; owned */
    struct sg_creation_sites sites; /* site 0 = before the attach */
    struct sg_created_threads threads;
    uint64_t n_changes;      /* starts and ends seen */
    int64_t checked_mono_ns; /* when ended threads were last searched for */
    bool is_ending; /* profiling has ended: nothing is added, and all clients get what there is */
};

void sg_thread_creations_stream_close(struct sg_thread_creations_stream *stream);

/* Take what the hook has recorded, and notice threads that have ended. `is_last`: code without a
 * name becomes "<unknown>". */
void sg_thread_creations_stream_take(struct sg_thread_creations_stream *stream,
                                     struct sg_stacks *stacks, const struct sg_clients *clients,
                                     int64_t now_ns, bool is_last);
/* Whether a client waits for creations whose code has no names yet. */
bool sg_thread_creations_stream_is_waiting(const struct sg_thread_creations_stream *stream,
                                           const struct sg_clients *clients);
/* NULL = no start of this thread was recorded. Valid until the next take. */
const struct sg_created_thread *
sg_thread_creations_stream_find(const struct sg_thread_creations_stream *stream, pid_t tid);
/* Send changes to the clients that requested them, and everything to those that detach. A program
 * may end before its recorder's request arrives: at the end all clients get everything. The
 * definitions that it refers to were sent. */
void sg_thread_creations_stream_send(struct sg_thread_creations_stream *stream,
                                     struct sg_clients *clients, int64_t now_ns);

#endif
