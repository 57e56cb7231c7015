/* A lock-free stack (Treiber's): hooks push creations, and the writer takes them all with one
 * exchange.
 *
 *     start_new_thread ─▶ hook: walk the creator's stack ─▶ malloc ─▶ push ─▶ … ─▶ taken, freed
 *
 * Entries are never popped one by one, so the reuse of an address cannot corrupt the list (the ABA
 * problem). */
#include "threads/creations.h"

#include <Python.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/interpreter_hooks.h"
#include "cpu/snapshot.h"
#include "frames/walk.h"
#include "interpreter/calling_thread.h"
#include "interpreter/interpreters.h"
#include "platform/engine_threads.h"
#include "platform/gate.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"
#include "platform/vector.h"
#include "threads/births.h"
#include "threads/getters.h"
#include "threads/started_thread.h"

enum {
    MOST_FRAMES = 192,  /* frames that are kept of a creator's stack */
    HANDLE_STRUCT = 16, /* offset in _thread._ThreadHandle of the pointer to its C struct */
    FIRST_IDENT = 16,
    LAST_IDENT = 128, /* the identifier is searched between these offsets in that struct */
};

/* The lock-free stack. */
static _Atomic(struct sg_creation *) creations;
static _Atomic uint64_t n_lost;

/* Written with the GIL held. */
/* tids; the writer reads them after the job that opens the recording */
static struct sg_vector before;
static int32_t ident_at; /* offset in a thread handle's C struct; 0 = not known yet */

/* Return the pthread_t of the started thread, or 0. From 3.13 on the start function may return a
 * handle: the offset of its pthread_t is measured on the first handle, with the type's own C
 * getter. The caller holds the GIL. */
static uintptr_t find_ident(PyObject *result) {
    if (PyLong_Check(result)) {
        unsigned long ident = PyLong_AsUnsignedLong(result);
        PyErr_Clear();
        return ident == (unsigned long)-1 ? 0 : ident;
    }
    uintptr_t handle = sg_memory_load((uintptr_t)result + HANDLE_STRUCT);
    if (!ident_at) {
        const PyGetSetDef *getter = sg_getters_find((PyObject *)Py_TYPE(result), "ident");
        PyObject *value = getter ? getter->get(result, getter->closure) : NULL;
        unsigned long ident = value && PyLong_Check(value) ? PyLong_AsUnsignedLong(value) : 0;
        PyErr_Clear();
        Py_XDECREF(value);
        for (int32_t at = FIRST_IDENT; ident && !ident_at && at < LAST_IDENT; at += 8)
            if (sg_memory_load(handle + (uintptr_t)at) == ident)
                ident_at = at;
    }
    return ident_at ? sg_memory_load(handle + (uintptr_t)ident_at) : 0;
}

static void push(struct sg_creation *creation) {
    creation->next = atomic_load(&creations);
    while (!atomic_compare_exchange_weak(&creations, &creation->next, creation)) {
    }
}

static void record(PyObject *function, PyObject *result) {
    struct sg_frame frames[MOST_FRAMES];
    struct sg_walk walk = {
        .thread = sg_calling_thread_state(true),
        .is_settled = true,
        .frames = frames,
        .capacity = MOST_FRAMES,
    };
    if (walk.thread)
        sg_frames_walk(&walk);
    if (!walk.depth)
        frames[walk.depth++] = (struct sg_frame){SG_NO_PYTHON_THREAD, -1};
    char name[SG_TEXT_COPY_BYTES];
    sg_started_thread_name(function, name);
    size_t size = walk.depth * sizeof *frames, name_size = strlen(name) + 1;
    struct sg_creation *creation = malloc(sizeof *creation + size + name_size);
    if (!creation) {
        atomic_fetch_add(&n_lost, 1);
        return;
    }
    uintptr_t ident = find_ident(result);
    *creation = (struct sg_creation){
        .tid = sg_thread_ids_of_living(ident), /* it waits for the GIL, or has not got so far */
        .creator = sg_thread_ids_own(),
        .depth = walk.depth,
        .name = (const char *)&creation->frames[walk.depth],
    };
    memcpy(creation->frames, frames, size);
    memcpy(&creation->frames[walk.depth], name, name_size);
    push(creation);
}

void sg_creations_record(void *function, void *result) {
    if (sg_gate_enter(SG_GATE_CREATIONS)) {
        record(function, result);
        sg_gate_leave(SG_GATE_CREATIONS);
    }
}

static int compare(const void *one, const void *other) {
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

/* Sort the tids from index `first` on and keep one of each. `repeated`, unless NULL, gets each tid
 * that occurred several times, once. */
static void keep_each_once(size_t first, struct sg_vector *repeated) {
    uint32_t *tids = before.values;
    size_t n = before.n, n_kept = first;
    if (n > first)
        qsort(tids + first, n - first, sizeof *tids, compare);
    for (size_t i = first; i < n; i++)
        if (i == first || tids[i] != tids[n_kept - 1])
            tids[n_kept++] = tids[i];
        else if (repeated && (!repeated->n || repeated->values[repeated->n - 1] != tids[i]))
            sg_vector_add(repeated, tids[i]);
    before.n = n_kept;
}

/* List each thread once, although it may have a state in several interpreters. Threads that were
 * started but have not begun are followed, and reported later. */
static void list_threads(void) {
    uint32_t n_interpreters = sg_interpreters_count();
    before.n = 0;
    for (void *interp = sg_interpreter_first(); interp && n_interpreters--;
         interp = sg_interpreter_next(interp)) {
        struct sg_births_states states = {0};
        struct sg_vector repeated = {0};
        size_t first = before.n;
        uint32_t n_threads = sg_interpreters_most_threads(interp);
        for (void *thread = sg_interpreter_thread(interp); thread && n_threads--;
             thread = sg_interpreter_next_thread(thread)) {
            pid_t tid = sg_snapshot_tid(thread);
            if (!SG_ROWS_ADD(&states, (struct sg_births_state){thread, tid}))
                atomic_fetch_add(&n_lost, 1);
            else if (tid && !sg_engine_threads_has(tid) && !sg_vector_add(&before, (uint32_t)tid))
                atomic_fetch_add(&n_lost, 1);
        }
        keep_each_once(first, &repeated);
        atomic_fetch_add(&n_lost, sg_births_follow(interp, &states, repeated.values, repeated.n));
        SG_ROWS_FREE(&states);
        sg_vector_free(&repeated);
    }
    keep_each_once(0, NULL);
}

void sg_creations_open(void) {
    list_threads();
    sg_started_thread_open();
    sg_gate_open(SG_GATE_CREATIONS);
    sg_interpreter_hooks_watch_starts(sg_creations_record);
}

/* Record a thread that was started before the recording began. */
static void record_birth(pid_t tid) {
    struct sg_creation *creation = malloc(sizeof *creation + sizeof *creation->frames);
    if (!creation) {
        atomic_fetch_add(&n_lost, 1);
        return;
    }
    *creation = (struct sg_creation){.tid = tid, .depth = 1, .name = ""};
    creation->frames[0] = (struct sg_frame){SG_BEFORE_ATTACH, -1};
    push(creation);
}

void sg_creations_look(void) { sg_births_look(record_birth); }

struct sg_creation *sg_creations_take(void) {
    return atomic_exchange(&creations, NULL);
}

void sg_creations_close(void) {
    sg_interpreter_hooks_watch_starts(NULL);
    sg_gate_shut(SG_GATE_CREATIONS);
    sg_gate_wait(SG_GATE_CREATIONS); /* if the wait times out, the hook's tables stay mapped */
    for (struct sg_creation *creation = sg_creations_take(), *next; creation; creation = next) {
        next = creation->next;
        free(creation);
    }
    sg_started_thread_close();
    sg_births_forget();
    sg_vector_free(&before);
    atomic_store(&n_lost, 0);
}

const pid_t *sg_creations_before(size_t *n) {
    *n = before.n;
    return (const pid_t *)before.values;
}

uint64_t sg_creations_lost(void) { return atomic_load(&n_lost); }

void sg_creations_after_fork_in_child(void) {
    sg_gate_discard(SG_GATE_CREATIONS);
    atomic_store(&creations, NULL);
    before = (struct sg_vector){0};
    sg_started_thread_after_fork_in_child();
    sg_births_forget();
    atomic_store(&n_lost, 0);
}
