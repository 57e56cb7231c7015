/* Stack request: asks one thread of the program for its present stack, by the sampler's signal.
 *
 *     engine's thread                              the asked thread
 *     ask ──signal, pointer to the request──▶ handler: walks its own stack into the request
 *       …                                              │
 *     look         ◀──────────────── ANSWERED ─────────┘
 *     drop
 *
 * Works at every CPU rate, also 0, between sg_cpu_start and sg_cpu_stop. No thread waits: the
 * caller checks later for the answer, or drops the request. Pending signals of one number merge, so
 * a handler answers all requests for its thread, whichever signal started it. A thread that blocks
 * the signal is not asked; nor is any thread where no signal is free. */
#ifndef STACKGLASS_CPU_STACK_REQUEST_H
#define STACKGLASS_CPU_STACK_REQUEST_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpu/sample.h"
#include "cpu/threads.h"

enum { SG_STACK_REQUESTS = 72 }; /* limit of all requests that are not dropped yet */

/* Choose the PyThreadState of which the frames are wanted; NULL = the one that PyGILState has for
 * the thread. Runs on the asked thread, in the signal handler, so it must be async-signal-safe. The
 * state must stay alive until the handler returns, as those of the asked thread do. */
typedef const void *sg_stack_choose_fn(const uintptr_t context[2]);

struct sg_stack_request; /* owned by the caller from ask to drop; the handler fills it in */

/* Ask a thread for its stack. `choose` may be NULL: the state is then PyGILState's. `context` is
 * copied for `choose`; NULL = two zeros. Returns NULL if the thread is not known or must not get
 * the signal, or if there are SG_STACK_REQUESTS already. Only engine threads call this; it takes
 * sg_threads_lock for a moment. */
struct sg_stack_request *sg_stack_request_ask(pid_t tid, sg_stack_choose_fn *choose,
                                              const uintptr_t context[2]);

/* Return whether the thread is known and must not get the signal: it blocks the signal, or is just
 * ending, or no signal is free. Only engine threads call this; it takes sg_threads_lock for a
 * moment. */
bool sg_stack_request_is_refused(pid_t tid);

/* An answer. `is_chosen`: `choose` returned a thread state, and these are the frames of that
 * state. */
struct sg_stack_answer {
    uint32_t depth;
    uint32_t labels; /* label set that the thread had then */
    bool is_chosen;
    const struct sg_frame *frames; /* leaf first; until the request is dropped */
};
/* Get the answer. Returns false if the thread has not answered yet. */
bool sg_stack_request_look(const struct sg_stack_request *request, struct sg_stack_answer *answer);

/* Release a request, answered or not. */
void sg_stack_request_drop(struct sg_stack_request *request);

/* Requests sent, and requests dropped without an answer; cumulative. Any thread may read them. */
struct sg_stack_request_counts {
    uint64_t n_asked, n_unanswered;
};
struct sg_stack_request_counts sg_stack_request_counts(void);

/* ---- Called by the sampler ---- */

/* Map the requests, before any handler runs. Returns 0, or -1 if memory runs out. */
int sg_stack_request_prepare(void);
/* Unmap the requests. No handler may run, and no request may be under way. */
void sg_stack_request_discard(void);

/* Return the slot of the thread that a signal asks for its stack; NULL if the signal is not a
 * request. Async-signal-safe. */
struct sg_slot *sg_stack_request_slot(const siginfo_t *info);
/* Answer all requests to the calling thread. `slot` is its slot, and the caller has claimed it.
 * Async-signal-safe. */
void sg_stack_request_answer(struct sg_slot *slot, const void *context);

#endif
