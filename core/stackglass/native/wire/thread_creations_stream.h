/* Thread creations stream: sends the stacks that started threads, with the numbers of threads that
 * each has started and that are alive.
 *
 *     hook's list ─▶ pending until its code has names ─▶ sites ─▶ clients
 *                                                          threads ─▶ creators, for dumps
 *
 * A thread is alive as long as it has a CPU clock. The system reuses a thread id only after all
 * others, and the writer notices the thread's end long before that. The writer owns the stream. */
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
#include "wire/thread_names.h"

/* A thread that was alive at the last check. */
struct sg_created_thread {
    pid_t tid, creator; /* creator 0 = not known */
    uint32_t site;
};

struct sg_created_threads SG_ROWS_OF(struct sg_created_thread);

struct sg_creation_site {
    uint32_t node;        /* node of its stack */
    uint64_t ever, alive; /* threads started there; living threads, counted when the site is sent */
};
struct sg_creation_sites SG_ROWS_OF(struct sg_creation_site);

struct sg_thread_creations_stream {
    struct sg_thread_names *names;  /* borrowed: the stream's */
    struct sg_creation *pending;    /* newest first; owned */
    struct sg_creation_sites sites; /* site 0 = before the attach */
    struct sg_created_threads threads;
    uint64_t n_changes;      /* starts and ends seen */
    uint64_t n_lost;         /* starts without a site: memory was short, or there are too many */
    int64_t checked_mono_ns; /* when ended threads were last searched for */
    bool is_ending; /* profiling has ended: nothing is added, and all clients get everything */
};

void sg_thread_creations_stream_close(struct sg_thread_creations_stream *stream);

/* Move the creations that the hook has recorded to the pending ones, and note the names of their
 * threads. A thread may be sampled and end within the time of one message, so this is called before
 * samples are drained. */
void sg_thread_creations_stream_take_new(struct sg_thread_creations_stream *stream);
/* Take new creations, count the pending ones whose code has names, and remove threads that have
 * ended. `is_last`:
 * code without a name becomes "<unknown>". If memory is short for the first site, nothing is taken
 * yet. */
void sg_thread_creations_stream_take(struct sg_thread_creations_stream *stream,
                                     struct sg_stacks *stacks, const struct sg_clients *clients,
                                     int64_t now_ns, bool is_last);
/* Return whether a client waits for creations with code that has no names yet. */
bool sg_thread_creations_stream_is_waiting(const struct sg_thread_creations_stream *stream,
                                           const struct sg_clients *clients);
/* Return the creation of a thread; NULL = it was not recorded. Valid until the next take. */
const struct sg_created_thread *
sg_thread_creations_stream_find(const struct sg_thread_creations_stream *stream, pid_t tid);
/* Send changes to the clients that requested them, and everything to clients that detach. At the
 * end all clients get everything, because a program may end before its recorder's request arrives.
 * The definitions that the message refers to must have been sent. */
void sg_thread_creations_stream_send(struct sg_thread_creations_stream *stream,
                                     struct sg_clients *clients, int64_t now_ns);

#endif
