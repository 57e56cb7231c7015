/* Asking one thread of the program for its stack now, by the sampler's signal.
 *
 *     engine's thread                              the asked thread
 *     ask ──signal, pointer to the request──▶ handler: walks its own stack into the request
 *       …                                              │
 *     is_answered? ◀──────────────── ANSWERED ─────────┘
 *     drop
 *
 * Works at every CPU rate, also 0, between sg_cpu_start and sg_cpu_stop. Nobody waits: who asks
 * looks again later, and gives up when it thinks fit. Signals of one number that are pending are
 * one, so a handler answers whatever its thread is asked, by which of our signals it may have
 * come. A thread that blocks the signal is not asked, and none where no signal is free. */
#ifndef STACKGLASS_CPU_STACK_REQUEST_H
#define STACKGLASS_CPU_STACK_REQUEST_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpu/sample.h"
#include "cpu/threads.h"

enum { SG_STACK_REQUESTS = 72 }; /* under way at once, by all who ask */

/* On the asked thread, in its handler: whose frames are wanted (a PyThreadState that is the
 * calling thread's and cannot go meanwhile), or NULL: those of the thread's own state.
 * Async-signal-safe. */
typedef const void *sg_stack_whose_fn(const uintptr_t context[2]);

struct sg_stack_request; /* from ask to drop the asker's, but for what the handler fills in */

/* NULL if the thread is not known, cannot be asked, or too many requests are under way. `whose`
 * may be NULL. Engine's threads; takes sg_threads_lock for a moment. */
struct sg_stack_request *sg_stack_request_ask(pid_t tid, sg_stack_whose_fn *whose,
                                              const uintptr_t context[2]);

/* False if the thread is known but must not be sent the signal. As ask. */
bool sg_stack_request_is_possible(pid_t tid);

/* What it has answered. `is_whose`: they are the frames that `whose` named. */
struct sg_stack_answer {
    uint32_t depth;
    bool is_whose;
    const struct sg_frame *frames; /* leaf first; until the request is dropped */
};
/* False if it has not answered yet. */
bool sg_stack_request_look(const struct sg_stack_request *request, struct sg_stack_answer *answer);

/* The asker's last word, answered or not. */
void sg_stack_request_drop(struct sg_stack_request *request);

/* Requests that were sent, and those dropped without an answer; cumulative, any thread. */
struct sg_stack_request_counts {
    uint64_t n_asked, n_unanswered;
};
struct sg_stack_request_counts sg_stack_request_counts(void);

/* ---- By the sampler ---- */

/* Room for requests: 0 or -1. No handler runs yet. */
int sg_stack_request_prepare(void);
/* No handler runs any more, and nobody asks. */
void sg_stack_request_discard(void);

/* The slot of the thread that a signal of ours asks; NULL if it is no such signal.
 * Async-signal-safe. */
struct sg_slot *sg_stack_request_slot(const siginfo_t *info);
/* Answer everything that the slot's thread, which is the calling one, is asked. Its slot is
 * claimed. Async-signal-safe. */
void sg_stack_request_answer(struct sg_slot *slot, const void *context);

#endif
