/* Stalls: one place for each thread that runs an event loop. A place says when the running callback
 * began, and when its stack is due: after half the threshold, then whenever the callback's age has
 * doubled.
 *
 * Loops may be nested, so `begin` returns what the place held, and `end` puts it back. A place is
 * never freed: if all are in use, a new thread takes over the place of an idle loop. */
#include "asyncio/stalls.h"

#include <Python.h>

#include <stdatomic.h>
#include <time.h>

#include "labels/labels.h"
#include "platform/thread_ids.h"
#include "platform/time.h"
#include "tasks/running.h"

enum {
    N_PLACES = 64,                /* few programs have more than one event loop */
    COARSE_NS = 10 * 1000 * 1000, /* the coarse clock is at most one tick of the kernel late */
};

/* Written with the GIL, by the loop's thread and by the job that takes stacks; atomic for readers
 * without the GIL. */
struct place {
    uintptr_t owner;                /* pthread_t; 0 = no thread has used the place yet */
    const void *thread;             /* PyThreadState, while a callback runs */
    _Atomic int64_t since_mono_ns;  /* 0 = no callback runs */
    _Atomic int64_t sample_mono_ns; /* when the callback's stack is to be taken */
    sg_contention_stack stack;      /* SG_CONTENTION_OWN_STACK = not taken yet */
    uint32_t labels;                /* of the callback when its stack was taken */
};
static struct place places[N_PLACES];
static _Atomic uint32_t n_places; /* how many places have had an owner; they come first */

static int64_t get(_Atomic int64_t *time_ns) {
    return atomic_load_explicit(time_ns, memory_order_relaxed);
}

static void set(_Atomic int64_t *time_ns, int64_t value_ns) {
    atomic_store_explicit(time_ns, value_ns, memory_order_relaxed);
}

/* Return the number of the calling thread's place, or -1 if all are in use. */
static int find_place(void) {
    uintptr_t self = sg_thread_ids_self();
    uint32_t n = atomic_load_explicit(&n_places, memory_order_relaxed);
    uint32_t idle = N_PLACES;
    for (uint32_t i = 0; i < n; i++) {
        if (places[i].owner == self)
            return (int)i;
        if (!get(&places[i].since_mono_ns))
            idle = i;
    }
    if (n < N_PLACES) {
        places[n].owner = self;
        atomic_store(&n_places, n + 1);
        return (int)n;
    }
    if (idle < N_PLACES)
        places[idle].owner = self; /* the owner has ended, or its loop is idle */
    return idle < N_PLACES ? (int)idle : -1;
}

struct sg_asyncio_callback sg_asyncio_stalls_begin(void) {
    struct sg_asyncio_callback outer = {.place = find_place()};
    if (outer.place < 0)
        return outer;
    struct place *place = &places[outer.place];
    int64_t now_ns = sg_time_mono_ns();
    outer.since_mono_ns = get(&place->since_mono_ns);
    outer.stack = place->stack;
    outer.labels = place->labels;
    place->thread = PyThreadState_Get();
    place->stack = SG_CONTENTION_OWN_STACK;
    place->labels = SG_NO_LABELS;
    set(&place->sample_mono_ns, now_ns + (int64_t)sg_contention_stall_ns() / 2);
    set(&place->since_mono_ns, now_ns);
    return outer;
}

/* A read of the coarse clock takes some ns, one of the exact clock some tens. */
static int64_t coarse_now_ns(void) { return (int64_t)sg_time_clock_ns(CLOCK_MONOTONIC_COARSE); }

void sg_asyncio_stalls_end(const struct sg_asyncio_callback *outer) {
    if (outer->place < 0)
        return;
    struct place *place = &places[outer->place];
    int64_t since_ns = get(&place->since_mono_ns);
    if (!since_ns || place->owner != sg_thread_ids_self())
        return; /* the callback was forgotten meanwhile */
    sg_contention_stack stack = place->stack;
    uint32_t labels = place->labels;
    place->stack = outer->stack;
    place->labels = outer->labels;
    set(&place->since_mono_ns, outer->since_mono_ns);
    int64_t stall_ns = (int64_t)sg_contention_stall_ns();
    if (!stall_ns || coarse_now_ns() - since_ns < stall_ns - COARSE_NS)
        return;
    int64_t delay_ns = sg_time_mono_ns() - since_ns;
    if (delay_ns >= stall_ns)
        sg_contention_record_wait(SG_CONTENTION_STALL, SG_PRIMITIVE_EVENT_LOOP, NULL, stack, labels,
                                  delay_ns);
}

bool sg_asyncio_stalls_are_due(int64_t now_mono_ns) {
    uint32_t n = atomic_load(&n_places);
    for (uint32_t i = 0; i < n; i++) {
        if (get(&places[i].since_mono_ns) && now_mono_ns >= get(&places[i].sample_mono_ns))
            return true;
    }
    return false;
}

void sg_asyncio_stalls_sample(void) {
    int64_t now_ns = sg_time_mono_ns();
    uint32_t n = atomic_load(&n_places);
    for (uint32_t i = 0; i < n; i++) {
        struct place *place = &places[i];
        int64_t since_ns = get(&place->since_mono_ns);
        if (!since_ns || now_ns < get(&place->sample_mono_ns))
            continue;
        place->stack = sg_contention_take_stack(place->thread, SG_PRIMITIVE_EVENT_LOOP);
        place->labels =
            sg_labels_of_caller(place->thread) | sg_running_tasks_label_with_gil(place->thread);
        set(&place->sample_mono_ns, since_ns + 2 * (now_ns - since_ns));
    }
}

void sg_asyncio_stalls_forget(void) {
    for (int i = 0; i < N_PLACES; i++) {
        places[i].owner = 0;
        set(&places[i].since_mono_ns, 0);
    }
    atomic_store(&n_places, 0);
}
