/* Stalls: one slot for each thread that runs an event loop. A slot says when the running callback
 * began, and when its stack is due: after half the threshold, then whenever the callback's age has
 * doubled.
 *
 * Loops may be nested, so `begin` returns what the slot held, and `end` puts it back. Callbacks of
 * one thread that overlap in another way (two loops, each in a greenlet) are not recorded. A slot
 * is never freed: if all are in use, a new thread takes over the slot of an idle loop.
 *
 * A callback may never end: a greenlet in its middle is switched away from, and the thread ends. So
 * a thread is looked for in the interpreter's list before its state is read. */
#include "asyncio/stalls.h"

#include <Python.h>

#include <stdatomic.h>
#include <time.h>

#include "interpreter/interpreters.h"
#include "labels/labels.h"
#include "platform/thread_ids.h"
#include "platform/time.h"
#include "tasks/running.h"

enum {
    N_SLOTS = 64,                 /* few programs have more than one event loop */
    COARSE_NS = 10 * 1000 * 1000, /* the coarse clock is at most one tick of the kernel late */
    LEAST_SHARE = 4, /* a stack of the first 1/LEAST_SHARE of a stall does not stand for it */
};

/* Written with the GIL, by the loop's thread and by the job that takes stacks; atomic for readers
 * without the GIL. */
struct slot {
    uintptr_t owner;    /* pthread_t; 0 = no thread has used the slot yet */
    const void *thread; /* PyThreadState, while a callback runs */
    struct sg_asyncio_running running;
};
static struct slot slots[N_SLOTS];
static _Atomic uint32_t n_slots; /* slots [0, n_slots) are assigned */

static int64_t get(_Atomic int64_t *time_ns) {
    return atomic_load_explicit(time_ns, memory_order_relaxed);
}

static void set(_Atomic int64_t *time_ns, int64_t value_ns) {
    atomic_store_explicit(time_ns, value_ns, memory_order_relaxed);
}

/* Return the number of the calling thread's slot, or -1 if all are in use. */
static int find_slot(void) {
    uintptr_t self = sg_thread_ids_self();
    uint32_t n = atomic_load_explicit(&n_slots, memory_order_relaxed);
    uint32_t idle = N_SLOTS;
    for (uint32_t i = 0; i < n; i++) {
        if (slots[i].owner == self)
            return (int)i;
        if (!get(&slots[i].running.since_mono_ns))
            idle = i;
    }
    if (n < N_SLOTS) {
        slots[n].owner = self;
        atomic_store(&n_slots, n + 1);
        return (int)n;
    }
    if (idle < N_SLOTS)
        slots[idle].owner = self; /* the owner has ended, or its loop is idle */
    return idle < N_SLOTS ? (int)idle : -1;
}

/* Copy what is known of a callback. `since_mono_ns` is written last, because it says whether the
 * rest counts. */
static void put(struct sg_asyncio_running *to, struct sg_asyncio_running *from) {
    to->taken_mono_ns = from->taken_mono_ns;
    to->stack = from->stack;
    to->labels = from->labels;
    set(&to->due_mono_ns, get(&from->due_mono_ns));
    set(&to->since_mono_ns, get(&from->since_mono_ns));
}

struct sg_asyncio_callback sg_asyncio_stalls_begin(void) {
    struct sg_asyncio_callback callback = {.slot = find_slot()};
    if (callback.slot < 0)
        return callback;
    struct slot *slot = &slots[callback.slot];
    callback.since_mono_ns = sg_time_mono_ns();
    struct sg_asyncio_running begun = {
        .since_mono_ns = callback.since_mono_ns,
        .due_mono_ns = callback.since_mono_ns + (int64_t)sg_contention_stall_ns() / 2,
        .stack = SG_CONTENTION_OWN_STACK,
        .labels = SG_NO_LABELS,
    };
    put(&callback.outer, &slot->running);
    slot->thread = PyThreadState_Get();
    put(&slot->running, &begun);
    return callback;
}

/* A read of the coarse clock takes some ns, one of the exact clock some tens. */
static int64_t coarse_now_ns(void) { return (int64_t)sg_time_clock_ns(CLOCK_MONOTONIC_COARSE); }

/* Record the callback `ended`, which took `delay_ns`. */
static void record(const struct sg_asyncio_running *ended, int64_t since_ns, int64_t delay_ns) {
    bool is_early = ended->taken_mono_ns - since_ns < delay_ns / LEAST_SHARE;
    sg_contention_record_wait(SG_CONTENTION_STALL, SG_PRIMITIVE_EVENT_LOOP, NULL,
                              is_early ? SG_CONTENTION_OWN_STACK : ended->stack,
                              is_early ? SG_NO_LABELS : ended->labels, delay_ns);
}

void sg_asyncio_stalls_end(struct sg_asyncio_callback *callback) {
    if (callback->slot < 0)
        return;
    struct slot *slot = &slots[callback->slot];
    int64_t since_ns = callback->since_mono_ns;
    if (slot->owner != sg_thread_ids_self())
        return; /* all were forgotten, or another thread has the slot */
    if (get(&slot->running.since_mono_ns) != since_ns) { /* it was forgotten, or overlaps another */
        set(&slot->running.since_mono_ns, 0);
        return;
    }
    struct sg_asyncio_running ended;
    put(&ended, &slot->running);
    put(&slot->running, &callback->outer);
    int64_t stall_ns = (int64_t)sg_contention_stall_ns();
    if (!stall_ns || coarse_now_ns() - since_ns < stall_ns - COARSE_NS)
        return;
    int64_t delay_ns = sg_time_mono_ns() - since_ns;
    if (delay_ns >= stall_ns)
        record(&ended, since_ns, delay_ns);
}

bool sg_asyncio_stalls_are_due(int64_t now_mono_ns) {
    uint32_t n = atomic_load(&n_slots);
    for (uint32_t i = 0; i < n; i++) {
        if (get(&slots[i].running.since_mono_ns) &&
            now_mono_ns >= get(&slots[i].running.due_mono_ns))
            return true;
    }
    return false;
}

/* Whether the thread that began the slot's callback is alive. If another thread has got the memory
 * of its state, that thread's stack is taken, and belongs to a callback that never ends. */
static bool has_thread(const struct slot *slot) {
    void *at = sg_interpreter_thread(sg_interpreter_home());
    while (at && at != slot->thread)
        at = sg_interpreters_next_at_home(at);
    return at != NULL;
}

void sg_asyncio_stalls_sample(void) {
    int64_t now_ns = sg_time_mono_ns();
    uint32_t n = atomic_load(&n_slots);
    for (uint32_t i = 0; i < n; i++) {
        const void *thread = slots[i].thread;
        struct sg_asyncio_running *running = &slots[i].running;
        int64_t since_ns = get(&running->since_mono_ns);
        if (!since_ns || now_ns < get(&running->due_mono_ns))
            continue;
        if (!has_thread(&slots[i])) {
            set(&running->since_mono_ns, 0);
            continue;
        }
        running->stack = sg_contention_take_stack(thread, SG_PRIMITIVE_EVENT_LOOP);
        running->labels = sg_labels_of_caller(thread) | sg_running_tasks_label_with_gil(thread);
        running->taken_mono_ns = now_ns;
        set(&running->due_mono_ns, since_ns + 2 * (now_ns - since_ns));
    }
}

void sg_asyncio_stalls_forget(void) {
    for (int i = 0; i < N_SLOTS; i++) {
        slots[i].owner = 0;
        set(&slots[i].running.since_mono_ns, 0);
    }
    atomic_store(&n_slots, 0);
}
