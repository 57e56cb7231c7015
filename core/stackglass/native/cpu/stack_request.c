/* States of a stack request.
 *
 *     FREE ─ask─▶ CLAIMED ─▶ ASKED ─handler─▶ TAKEN ─▶ ANSWERED ─drop─▶ FREE
 *                              └──────drop──────┼───────────────────────▲
 *                                               └drop▶ ABANDONED ─handler┘
 *
 * A state carries the number of its use. So a handler that has read a request of its own thread
 * takes it only if the request was not dropped and used for another thread meanwhile. */
#include "cpu/stack_request.h"

#include <Python.h>

#include <stdatomic.h>
#include <stddef.h>

#include "cpu/signal_walk.h"
#include "cpu/signals.h"
#include "cpu/thread_timers.h"
#include "labels/labels.h"
#include "platform/memory.h"

enum { FREE, CLAIMED, ASKED, TAKEN, ANSWERED, ABANDONED };
enum { STATE_BITS = 3, STATE = (1 << STATE_BITS) - 1 };

struct sg_stack_request {
    /* │ number of the use │ state: 3 bits │; decides which thread may use the other fields */
    _Atomic uint32_t use;
    _Atomic(struct sg_slot *) slot;
    _Atomic pid_t tid;
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
    SG_MEMORY_DROP(requests, SG_STACK_REQUESTS * sizeof *requests);
    atomic_store(&n_open, 0);
}

static uint32_t state_of(const struct sg_stack_request *request) {
    return atomic_load(&request->use) & STATE;
}

/* Move a request from state `from` to state `to`. Returns false if it is in another state. */
static bool move(struct sg_stack_request *request, uint32_t from, uint32_t to) {
    uint32_t use = atomic_load(&request->use);
    while ((use & STATE) == from)
        if (atomic_compare_exchange_weak(&request->use, &use, use - from + to))
            return true;
    return false;
}

/* Begin a new use of a request that this thread alone uses. */
static void begin_use(struct sg_stack_request *request) {
    uint32_t number = (atomic_load(&request->use) >> STATE_BITS) + 1;
    atomic_store(&request->use, number << STATE_BITS | ASKED);
}

static struct sg_stack_request *claim(void) {
    for (int i = 0; requests && i < SG_STACK_REQUESTS; i++) {
        if (move(&requests[i], FREE, CLAIMED))
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

bool sg_stack_request_is_refused(pid_t tid) {
    sg_threads_lock();
    const struct sg_slot *slot = sg_threads_find(tid);
    bool is_refused = slot && !may_send(slot);
    sg_threads_unlock();
    return is_refused;
}

/* Send the signal of a request. Returns false if the thread is not known or must not get the
 * signal. Called under sg_threads_lock, so that the slot stays the thread's. */
static bool send(struct sg_stack_request *request) {
    pid_t tid = atomic_load(&request->tid);
    struct sg_slot *slot = sg_threads_find(tid);
    if (!slot || !may_send(slot))
        return false;
    atomic_store(&request->slot, slot);
    atomic_fetch_add(&n_open, 1);
    begin_use(request);
    atomic_fetch_add_explicit(&n_asked, 1, memory_order_relaxed);
    sg_signals_send(tid, sg_thread_timers_signal(), request);
    return true;
}

struct sg_stack_request *sg_stack_request_ask(pid_t tid, sg_stack_choose_fn *choose,
                                              const uintptr_t context[2]) {
    struct sg_stack_request *request = claim();
    if (!request)
        return NULL;
    atomic_store(&request->tid, tid);
    request->choose = choose;
    request->context[0] = context ? context[0] : 0;
    request->context[1] = context ? context[1] : 0;
    sg_threads_lock();
    bool is_sent = send(request);
    sg_threads_unlock();
    if (!is_sent) {
        move(request, CLAIMED, FREE);
        return NULL;
    }
    return request;
}

bool sg_stack_request_look(const struct sg_stack_request *request, struct sg_stack_answer *answer) {
    if (state_of(request) != ANSWERED)
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
    bool is_asked = move(request, ASKED, FREE);
    if (is_asked)
        atomic_fetch_sub(&n_open, 1);
    if (is_asked || move(request, TAKEN, ABANDONED))
        atomic_fetch_add_explicit(&n_unanswered, 1, memory_order_relaxed);
    else
        move(request, ANSWERED, FREE); /* answered just now */
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

/* Take a request for this slot's thread. A slot that another thread has now does not count. */
static bool take(struct sg_stack_request *request, struct sg_slot *slot) {
    uint32_t use = atomic_load(&request->use);
    return (use & STATE) == ASKED && atomic_load(&request->slot) == slot &&
           atomic_load(&request->tid) == atomic_load(&slot->tid) &&
           atomic_compare_exchange_strong(&request->use, &use, use - ASKED + TAKEN);
}

void sg_stack_request_answer(struct sg_slot *slot, const void *context) {
    if (!requests || !atomic_load_explicit(&n_open, memory_order_relaxed))
        return;
    for (int i = 0; i < SG_STACK_REQUESTS; i++) {
        struct sg_stack_request *request = &requests[i];
        if (!take(request, slot))
            continue;
        atomic_fetch_sub(&n_open, 1);
        answer(request, slot, context);
        if (!move(request, TAKEN, ANSWERED))
            move(request, ABANDONED, FREE);
    }
}
