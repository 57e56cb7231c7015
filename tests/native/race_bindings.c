/* Bindings of races between two threads: the self profile's start, waits for a claim, gates, and
 * requests to the sampler's thread. */
#include "tables.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/self_profile.h"
#include "cpu/sampler_thread.h"
#include "cpu/threads.h"
#include "frames/primitives.h"
#include "locks/waits.h"
#include "platform/futex.h"
#include "platform/futex_sleepers.h"
#include "platform/gate.h"
#include "platform/thread_ids.h"
#include "values.h"

/* ---- The self profile: the writer begins while the starter gives up ---- */

enum { IN_NO_TURN = -1 };
static int begins_in_turn, n_turns; /* guarded by the GIL */

/* In the given turn the writer takes the request, just before the starter learns that no engine
 * can be started; in the turn after that the profile runs. */
static int fail_to_start(const struct sg_arguments *arguments) {
    (void)arguments;
    if (n_turns == begins_in_turn && !sg_self_profile_begin())
        abort();
    if (begins_in_turn != IN_NO_TURN && n_turns == begins_in_turn + 1) {
        sg_self_profile_set_running();
        return 0;
    }
    n_turns++;
    return -1;
}

static PyObject *start(int turn) {
    const struct sg_self_profile_rates rates = {100, 0};
    struct sg_self_profile_problem problem;
    begins_in_turn = turn;
    n_turns = 0;
    bool is_begun = sg_self_profile_start(fail_to_start, &rates, SG_CLOCK_AUTO, &problem);
    return sg_values_text(is_begun ? NULL : problem.text);
}

static PyObject *self_profile_begins(PyObject *self, PyObject *args) {
    PyObject *problem = start(0);
    sg_self_profile_forget();
    return problem;
}

/* The problem of a start that gives up, whether the writer can begin afterwards, and the problem of
 * another start. */
static PyObject *self_profile_gives_up(PyObject *self, PyObject *args) {
    PyObject *problem = start(IN_NO_TURN);
    bool is_late = sg_self_profile_begin() == NULL;
    PyObject *again = start(IN_NO_TURN);
    sg_self_profile_forget();
    return Py_BuildValue("(NNN)", problem, PyBool_FromLong(!is_late), again);
}

/* ---- Waits for a claim keep errno ---- */

struct ender {
    uint32_t entry;
    int error; /* errno before and after */
    _Atomic pid_t tid;
    _Atomic bool may_end;
    bool has_waited;
};

static void *end_wait(void *argument) {
    struct ender *ender = argument;
    atomic_store(&ender->tid, sg_thread_ids_own());
    while (!atomic_load(&ender->may_end))
        continue; /* without a system call, so that the thread's only sleep is the claim's */
    errno = ender->error;
    sg_lock_waits_end(ender->entry);
    ender->error = errno;
    return NULL;
}

/* How often the thread has slept. */
static long count_sleeps(pid_t tid) {
    char path[64], line[128];
    long n = -1;
    snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)tid);
    FILE *file = fopen(path, "r");
    while (file && n < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) != 1)
            n = -1;
    if (file)
        fclose(file);
    return n;
}

/* Called with the claim held: let the thread wait for it until it has slept. */
static void hold_claim(void *context, uint32_t entry, const struct sg_lock_wait *wait) {
    struct ender *ender = context;
    (void)wait;
    if (entry != ender->entry)
        return;
    long before = count_sleeps(atomic_load(&ender->tid));
    atomic_store(&ender->may_end, true);
    while (count_sleeps(atomic_load(&ender->tid)) == before)
        sg_futex_sleep_ns(1000 * 1000);
    ender->has_waited = true;
}

/* (errno): errno of a thread after it has waited for the claim of the table of waits. */
static PyObject *lock_wait_end_errno(PyObject *self, PyObject *error) {
    const struct sg_lock_wait wait = {.lock = &begins_in_turn, /* any address */
                                      .primitive = SG_PRIMITIVE_LOCK_ACQUIRE};
    struct ender ender = {.error = (int)PyLong_AsLong(error)};
    pthread_t thread;
    if (sg_lock_waits_prepare())
        return PyErr_NoMemory();
    ender.entry = sg_lock_waits_begin(&wait);
    if (pthread_create(&thread, NULL, end_wait, &ender))
        abort();
    while (!atomic_load(&ender.tid))
        continue;
    sg_lock_waits_visit(hold_claim, &ender);
    pthread_join(thread, NULL);
    sg_lock_waits_discard();
    return ender.has_waited ? PyLong_FromLong(ender.error) : sg_values_none();
}

/* ---- A shut gate that a thread tries to enter ---- */

static _Atomic bool is_trying;
static _Atomic long n_tries;

static void *try_gate(void *argument) {
    (void)argument;
    for (; atomic_load(&is_trying); atomic_fetch_add(&n_tries, 1))
        if (sg_gate_enter(SG_GATE_HEAP))
            sg_gate_leave(SG_GATE_HEAP);
    return NULL;
}

/* (n): of n waits at the gate, those whose result is not what the gate says afterwards. */
static PyObject *gate_wait_differs(PyObject *self, PyObject *n) {
    long n_differ = 0;
    pthread_t thread;
    sg_gate_shut(SG_GATE_HEAP);
    atomic_store(&is_trying, true);
    if (pthread_create(&thread, NULL, try_gate, NULL))
        abort();
    for (long n_before = atomic_load(&n_tries); atomic_load(&n_tries) == n_before;)
        continue; /* until it runs */
    for (long i = 0, n_waits = PyLong_AsLong(n); i < n_waits; i++) {
        bool is_left = sg_gate_wait(SG_GATE_HEAP);
        n_differ += is_left == atomic_load(&sg_gate_all[SG_GATE_HEAP].is_stuck);
    }
    atomic_store(&is_trying, false);
    pthread_join(thread, NULL);
    sg_gate_discard(SG_GATE_HEAP);
    return PyLong_FromLong(n_differ);
}

/* ---- Requests that the sampler's thread finds together ---- */

enum { MOST_LOOKS = 5000 };

struct asker {
    pid_t tid;
    bool is_first; /* another thread comes back before it */
    _Atomic bool is_held;
};

/* Hold the sampler's thread until the asker waits for it. */
static void *hold_sampler(void *argument) {
    struct asker *asker = argument;
    struct sg_sleeper sleeper = {.tid = asker->tid};
    sg_threads_lock();
    if (!asker->is_first)
        sg_sampler_thread_request_return();
    atomic_store(&asker->is_held, true);
    for (int i = 0; i < MOST_LOOKS && !sleeper.futex; i++) {
        sg_futex_sleep_ns(1000 * 1000);
        sg_futex_sleepers_read(&sleeper);
    }
    sg_threads_unlock();
    return NULL;
}

/* (is_first): the calling thread comes back, and goes outside before the sampler's thread has
 * looked. Is it outside? */
static PyObject *sampler_back_and_outside(PyObject *self, PyObject *is_first) {
    struct asker asker = {.tid = sg_thread_ids_own(), .is_first = is_first == Py_True};
    pthread_t holder;
    if (pthread_create(&holder, NULL, hold_sampler, &asker))
        abort();
    while (!atomic_load(&asker.is_held))
        continue;
    sg_sampler_thread_request_return();
    sg_sampler_thread_request_outside();
    pthread_join(holder, NULL);
    sg_threads_lock();
    const struct sg_slot *slot = sg_threads_find(asker.tid);
    bool is_outside = slot && slot->is_outside;
    sg_threads_unlock();
    return PyBool_FromLong(is_outside);
}

PyMethodDef sg_race_bindings[] = {
    {"self_profile_begins", self_profile_begins, METH_NOARGS,
     "The problem of a start that the writer takes while the starter gives up; None = it runs."},
    {"self_profile_gives_up", self_profile_gives_up, METH_NOARGS,
     "(problem, can the writer begin afterwards?, the next start's problem)"},
    {"lock_wait_end_errno", lock_wait_end_errno, METH_O,
     "(errno): errno of a thread after it has waited for the claim of the table of waits."},
    {"gate_wait_differs", gate_wait_differs, METH_O,
     "(n): of n waits at a shut gate, those whose result is not what the gate says afterwards."},
    {"sampler_back_and_outside", sampler_back_and_outside, METH_O,
     "(is_first): requests of the calling thread that are executed together. Is it outside?"},
    {NULL, NULL, 0, NULL},
};
