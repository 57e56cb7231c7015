/* States of a stack request.
 *
 *     FREE ─ask─▶ FILLED ─▶ ASKED ─handler─▶ TAKEN ─▶ ANSWERED ─drop─▶ FREE
 *                             └──────drop──────┼───────────────────────▲
 *                                              └drop▶ ABANDONED ─handler┘
 */
#include "cpu/stack_request.h"

#include <Python.h>

#include <stdatomic.h>
#include <stddef.h>

#include "cpu/signal_walk.h"
#include "cpu/signals.h"
#include "cpu/thread_timers.h"
#include "labels/labels.h"
#include "platform/memory.h"

enum { FREE, FILLED, ASKED, TAKEN, ANSWERED, ABANDONED };

struct sg_stack_request {
    _Atomic int state; /* decides which thread may use the rest */
    _Atomic(struct sg_slot *) slot;
    pid_t tid;
    sg_stack_choose_fn *choose;
    uintptr_t context[2];
    bool is_chosen;
    uint32_t depth, labels;
    struct sg_frame frames[SG_MAX_DEPTH];
};

/* Written while no handler runs; then constant. */
static struct sg_stack_request *requests; /* (SG_STACK_REQUESTS,) */

/* Lock-free. */
static _Atomic uint32_t n_open; /* requests in state ASKED */
static _Atomic uint64_t n_asked, n_unanswered;

int sg_stack_request_prepare(void) {
    if (!requests)
        requests = sg_memory_map(SG_STACK_REQUESTS * sizeof *requests);
    return requests ? 0 : -1;
}

void sg_stack_request_discard(void) {
    sg_memory_unmap(requests, SG_STACK_REQUESTS * sizeof *requests);
    requests = NULL;
    atomic_store(&n_open, 0);
}

static bool move(struct sg_stack_request *request, int from, int to) {
    return atomic_compare_exchange_strong(&request->state, &from, to);
}

static struct sg_stack_request *claim(void) {
    for (int i = 0; requests && i < SG_STACK_REQUESTS; i++) {
        if (atomic_load_explicit(&requests[i].state, memory_order_relaxed) == FREE &&
            move(&requests[i], FREE, FILLED))
            return &requests[i];
    }
    return NULL;
}

/* Whether the slot's thread may get the signal. Called under sg_threads_lock. */
static bool may_send(const struct sg_slot *slot) {
    int signo = sg_thread_timers_signal();
    uint64_t blocked = 0;
    return signo && !slot->is_blocked && sg_threads_mask(slot, &blocked) &&
           !(blocked >> (signo - 1) & 1);
}

bool sg_stack_request_is_possible(pid_t tid) {
    sg_threads_lock();
    const struct sg_slot *slot = sg_threads_find(tid);
    bool is_possible = !slot || may_send(slot);
    sg_threads_unlock();
    return is_possible;
}

/* Send the signal of a request. Returns false if the thread is not known or must not get the
 * signal. Called under sg_threads_lock, so that the slot stays the thread's. */
static bool send(struct sg_stack_request *request) {
    struct sg_slot *slot = sg_threads_find(request->tid);
    if (!slot || !may_send(slot))
        return false;
    atomic_store(&request->slot, slot);
    atomic_fetch_add(&n_open, 1);
    atomic_store(&request->state, ASKED);
    atomic_fetch_add_explicit(&n_asked, 1, memory_order_relaxed);
    sg_signals_send(request->tid, sg_thread_timers_signal(), request);
    return true;
}

struct sg_stack_request *sg_stack_request_ask(pid_t tid, sg_stack_choose_fn *choose,
                                              const uintptr_t context[2]) {
    struct sg_stack_request *request = claim();
    if (!request)
        return NULL;
    request->tid = tid;
    request->choose = choose;
    request->context[0] = context ? context[0] : 0;
    request->context[1] = context ? context[1] : 0;
    request->depth = 0;
    sg_threads_lock();
    bool is_sent = send(request);
    sg_threads_unlock();
    if (!is_sent) {
        atomic_store(&request->state, FREE);
        return NULL;
    }
    return request;
}

bool sg_stack_request_look(const struct sg_stack_request *request, struct sg_stack_answer *answer) {
    if (atomic_load(&request->state) != ANSWERED)
        return false;
    *answer = (struct sg_stack_answer){
        .depth = request->depth,
        .labels = request->labels,
        .is_chosen = request->is_chosen,
        .frames = request->frames,
    };
    return true;
}

void sg_stack_request_drop(struct sg_stack_request *request) {
    if (move(request, ANSWERED, FREE))
        return;
    atomic_fetch_add_explicit(&n_unanswered, 1, memory_order_relaxed);
    if (move(request, ASKED, FREE))
        atomic_fetch_sub(&n_open, 1);
    else if (!move(request, TAKEN, ABANDONED))
        atomic_store(&request->state, FREE); /* answered just now */
}

struct sg_stack_request_counts sg_stack_request_counts(void) {
    return (struct sg_stack_request_counts){
        .n_asked = atomic_load(&n_asked),
        .n_unanswered = atomic_load(&n_unanswered),
    };
}

struct sg_slot *sg_stack_request_slot(const siginfo_t *info) {
    uintptr_t offset = (uintptr_t)info->si_value.sival_ptr - (uintptr_t)requests;
    if (info->si_code != SI_QUEUE || !requests || offset >= SG_STACK_REQUESTS * sizeof *requests ||
        offset % sizeof *requests != 0)
        return NULL;
    /* A request that has been dropped since counts, too: the signal is the sampler's. */
    return atomic_load(&requests[offset / sizeof *requests].slot);
}

static void answer(struct sg_stack_request *request, struct sg_slot *slot, const void *context) {
    const void *thread = request->choose ? request->choose(request->context) : NULL;
    request->is_chosen = thread != NULL;
    if (!thread)
        thread = PyGILState_GetThisThreadState();
    request->labels = sg_labels_of_caller(thread);
    request->depth = sg_signal_walk(slot, thread, context, request->frames, SG_MAX_DEPTH, NULL);
}

void sg_stack_request_answer(struct sg_slot *slot, const void *context) {
    if (!requests || !atomic_load_explicit(&n_open, memory_order_relaxed))
        return;
    for (int i = 0; i < SG_STACK_REQUESTS; i++) {
        struct sg_stack_request *request = &requests[i];
        if (atomic_load(&request->state) != ASKED || atomic_load(&request->slot) != slot ||
            !move(request, ASKED, TAKEN))
            continue;
        atomic_fetch_sub(&n_open, 1);
        /* The slot or the request may have been reused for another thread before it was taken. */
        if (atomic_load(&request->slot) == slot && request->tid == atomic_load(&slot->tid))
            answer(request, slot, context);
        if (!move(request, TAKEN, ANSWERED))
            atomic_store(&request->state, FREE);
    }
}
