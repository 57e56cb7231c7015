/* Steps of the engine that are races in real life, one call each, for tests: what a handler, a
 * waiter or a releaser does between two steps of another thread. */
#define PY_SSIZE_T_CLEAN
#include "tables.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "cpu/sample_log.h"
#include "cpu/signals.h"
#include "cpu/thread_timers.h"
#include "cpu/threads.h"
#include "frames/primitives.h"
#include "gil/state.h"
#include "gil/waits.h"
#include "heap/allocator_hooks.h"
#include "heap/native_countdown.h"
#include "locks/sampling.h"
#include "locks/waits.h"
#include "platform/engine_thread.h"
#include "platform/gate.h"
#include "platform/thread_arena.h"
#include "platform/time.h"
#include "values.h"

/* ---- The sample log ---- */

static PyObject *log_active(PyObject *self, PyObject *args) {
    return PyLong_FromUnsignedLong(sg_sample_log_active());
}

static PyObject *log_try_enter(PyObject *self, PyObject *args) {
    unsigned int half;
    if (!PyArg_ParseTuple(args, "I", &half))
        return NULL;
    return PyBool_FromLong(sg_sample_log_try_enter(half % 2));
}

static PyObject *log_leave(PyObject *self, PyObject *args) {
    unsigned int half;
    if (!PyArg_ParseTuple(args, "I", &half))
        return NULL;
    sg_sample_log_leave(half % 2);
    return sg_values_none();
}

static PyObject *log_turn(PyObject *self, PyObject *args) {
    return PyBool_FromLong(sg_sample_log_turn());
}

/* ---- A signal that arrives late ---- */

/* A tick for the slot of one thread, sent to another one. False if there is no such slot. */
static PyObject *tick_send(PyObject *self, PyObject *args) {
    int to_tid, slot_tid;
    if (!PyArg_ParseTuple(args, "ii", &to_tid, &slot_tid))
        return NULL;
    sg_threads_lock();
    struct sg_slot *slot = sg_threads_find(slot_tid);
    sg_threads_unlock();
    if (slot)
        sg_signals_send(to_tid, sg_thread_timers_signal(), slot);
    return PyBool_FromLong(slot != NULL);
}

static uint64_t n_ticks; /* guarded by sg_threads_lock */

static void add_ticks(struct sg_slot *slot) { n_ticks += atomic_load(&slot->n_ticks); }

/* Ticks that handlers have taken, of threads that are still there. */
static PyObject *tick_count(PyObject *self, PyObject *args) {
    sg_threads_lock();
    n_ticks = 0;
    sg_threads_each(add_ticks);
    unsigned long long n = n_ticks;
    sg_threads_unlock();
    return PyLong_FromUnsignedLongLong(n);
}

/* ---- Waiters of a lock, and holds, at any time ---- */

static const void *lock_at(unsigned long long address) {
    return (const void *)(uintptr_t)address; /* never dereferenced */
}

static PyObject *wait_begin(PyObject *self, PyObject *args) {
    unsigned long long address;
    long long since_mono_ns;
    if (!PyArg_ParseTuple(args, "KL", &address, &since_mono_ns))
        return NULL;
    struct sg_lock_wait wait = {
        .lock = lock_at(address),
        .primitive = SG_PRIMITIVE_LOCK_ACQUIRE,
        .thread = PyThreadState_Get(),
        .since_mono_ns = since_mono_ns,
        .is_charged = true,
    };
    return PyLong_FromUnsignedLong(sg_lock_waits_begin(&wait));
}

static PyObject *wait_end(PyObject *self, PyObject *args) {
    unsigned int entry;
    if (!PyArg_ParseTuple(args, "I", &entry))
        return NULL;
    sg_lock_waits_end(entry);
    return sg_values_none();
}

/* Charge a release with its waiters; how many rows, in `charges`. False with the exception set. */
static bool charge_waits(PyObject *args, struct sg_contention_waiter *charges, size_t *n) {
    unsigned long long address;
    long long began_mono_ns, now_mono_ns;
    if (!PyArg_ParseTuple(args, "KLL", &address, &began_mono_ns, &now_mono_ns))
        return false;
    *n = sg_lock_waits_charge(lock_at(address), began_mono_ns, now_mono_ns, charges);
    return true;
}

static PyObject *wait_charge(PyObject *self, PyObject *args) {
    static struct sg_contention_waiter charges[SG_LOCK_CHARGES]; /* guarded by the GIL */
    size_t n;
    if (!charge_waits(args, charges, &n))
        return NULL;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < n; i++)
        sg_values_append(&list, PyLong_FromLongLong(charges[i].delay_ns));
    return list;
}

static PyObject *wait_labels(PyObject *self, PyObject *args) {
    static struct sg_contention_waiter charges[SG_LOCK_CHARGES]; /* guarded by the GIL */
    size_t n;
    if (!charge_waits(args, charges, &n))
        return NULL;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < n; i++)
        sg_values_append(&list, PyLong_FromUnsignedLong(charges[i].labels));
    return list;
}

static PyObject *hold_first(PyObject *self, PyObject *args) {
    unsigned long long address;
    if (!PyArg_ParseTuple(args, "K", &address))
        return NULL;
    sg_lock_sampling_hold_is_first(sg_lock_table_slot(lock_at(address)), lock_at(address));
    return sg_values_none();
}

/* A release at `now_mono_ns`: (its draw, the time since which its hold is charged). */
static PyObject *hold_release(PyObject *self, PyObject *args) {
    unsigned long long address, fraction;
    long long now_mono_ns;
    if (!PyArg_ParseTuple(args, "KKL", &address, &fraction, &now_mono_ns))
        return NULL;
    struct sg_lock_slot *slot = sg_lock_table_slot(lock_at(address));
    uint32_t draw = sg_lock_sampling_draw(slot, lock_at(address), fraction);
    int64_t began_mono_ns = sg_lock_sampling_hold_began(slot, draw);
    sg_lock_sampling_hold_ends(slot, draw, now_mono_ns);
    return Py_BuildValue("(IL)", draw, (long long)began_mono_ns);
}

static PyObject *hold_weight(PyObject *self, PyObject *args) {
    long long began_mono_ns, now_mono_ns;
    unsigned long long fraction;
    if (!PyArg_ParseTuple(args, "LLK", &began_mono_ns, &now_mono_ns, &fraction))
        return NULL;
    return PyFloat_FromDouble(sg_lock_sampling_hold_weight(began_mono_ns, now_mono_ns, fraction));
}

/* ---- The GIL, held by the engine ---- */

/* Hold it as an engine's thread does: others wait for it meanwhile. */
static PyObject *gil_engine_holds(PyObject *self, PyObject *args) {
    long long duration_ns;
    if (!PyArg_ParseTuple(args, "L", &duration_ns))
        return NULL;
    uint64_t until_ns = sg_time_clock_ns(CLOCK_MONOTONIC) + (uint64_t)duration_ns;
    sg_gil_waits_engine_took();
    while (sg_time_clock_ns(CLOCK_MONOTONIC) < until_ns) {
        const struct timespec nap = {0, 1000 * 1000};
        nanosleep(&nap, NULL);
    }
    sg_gil_waits_engine_releases();
    return sg_values_none();
}

static uint64_t now(void) { return sg_time_clock_ns(CLOCK_MONOTONIC); }

static void rest(uint64_t duration_ns) {
    const struct timespec nap = {0, 1000 * 1000};
    for (uint64_t until_ns = now() + duration_ns; now() < until_ns;)
        nanosleep(&nap, NULL);
}

/* Threads that wait for a GIL, and the time waited so far less what the engine has caused. */
static uint32_t read_waits(int64_t *charged_ns) {
    struct sg_gil_account account;
    uint32_t n_waiting = 0;
    uint64_t waited_ns = 0;
    for (size_t i = 0; sg_gil_waits_read(i, &account); i++) {
        n_waiting += account.n_waiting;
        waited_ns += account.waited_ns;
    }
    *charged_ns = (int64_t)(waited_ns - sg_gil_waits_engine_ns(0));
    return n_waiting;
}

static bool is_engines_span_open(void) {
    return sg_gil_waits_engine_ns(UINT64_C(1) << 62) != sg_gil_waits_engine_ns(0);
}

/* The time charged to the program once no thread waits and the engine's span is over. Until the
 * thread that ends the span has added it up, the value is too large. */
static int64_t settle(uint64_t patience_ns) {
    int64_t charged_ns;
    uint64_t until_ns = now() + patience_ns;
    do
        rest(1);
    while ((is_engines_span_open() | (read_waits(&charged_ns) != 0)) && now() < until_ns);
    return charged_ns;
}

/* One job of an engine's thread, which does not have the GIL: it waits for the GIL, has it until
 * another thread waits and `hold_ns` more, announces the release, and keeps it for `tail_ns`. */
static void do_job(PyThreadState *own, uint64_t hold_ns, uint64_t tail_ns, uint64_t patience_ns) {
    int64_t charged_ns;
    PyEval_RestoreThread(own);
    sg_gil_waits_engine_took();
    for (uint64_t until_ns = now() + patience_ns; !read_waits(&charged_ns) && now() < until_ns;)
        rest(1);
    rest(hold_ns);
    sg_gil_waits_engine_releases();
    rest(tail_ns);
    PyEval_SaveThread();
}

/* The charge once it has settled: `none_ns`, or a value that does not change for `patience_ns`. */
static int64_t settle_for_good(int64_t none_ns, uint64_t patience_ns) {
    int64_t charged_ns;
    uint64_t until_ns = now() + patience_ns;
    do
        charged_ns = settle(patience_ns);
    while (charged_ns > none_ns && now() < until_ns);
    return charged_ns;
}

/* (n, hold, tail, patience): the time that each of n jobs has charged to the program, in ns, and
 * what was charged after the last one. */
static PyObject *gil_engine_jobs(PyObject *self, PyObject *args) {
    unsigned int n;
    unsigned long long hold_ns, tail_ns, patience_ns;
    if (!PyArg_ParseTuple(args, "IKKK", &n, &hold_ns, &tail_ns, &patience_ns))
        return NULL;
    int64_t *sums = calloc(n + 2, sizeof *sums);
    if (!sums)
        return PyErr_NoMemory();
    sg_gil_waits_engine_releases(); /* end the present hold of this thread */
    PyThreadState *own = PyEval_SaveThread();
    sums[0] = settle(patience_ns);
    for (unsigned int i = 0; i < n; i++) {
        do_job(own, hold_ns, tail_ns, patience_ns);
        sums[i + 1] = settle(patience_ns);
    }
    sums[n + 1] = settle_for_good(sums[0], patience_ns);
    PyEval_RestoreThread(own);
    PyObject *list = PyList_New(0);
    for (unsigned int i = 0; i <= n; i++)
        sg_values_append(&list, PyLong_FromLongLong(sums[i + 1] - sums[i]));
    free(sums);
    return list;
}

/* How many waits are counted of one thread that waits while the engine has the GIL, then the
 * program, then the engine again. None if no thread has come to wait within `patience_ns`. */
static PyObject *gil_engine_takes_twice(PyObject *self, PyObject *args) {
    unsigned long long patience_ns;
    int64_t charged_ns;
    struct sg_gil_sums before, after;
    if (!PyArg_ParseTuple(args, "K", &patience_ns))
        return NULL;
    PyThreadState *own = PyEval_SaveThread();
    while (read_waits(&charged_ns))
        rest(1);
    sg_gil_waits_engine_took(); /* before the other thread begins to wait */
    PyEval_RestoreThread(own);
    for (uint64_t until_ns = now() + patience_ns; !read_waits(&charged_ns);)
        if (now() > until_ns)
            return sg_values_none();
    sg_gil_waits_engine_releases();
    sg_gil_waits_program_has(sg_gil_state_main());
    sg_gil_waits_engine_took();
    bool is_read = sg_gil_waits_sum(&before);
    sg_gil_waits_engine_releases();
    own = PyEval_SaveThread();
    while (read_waits(&charged_ns))
        rest(1);
    is_read &= sg_gil_waits_sum(&after);
    PyEval_RestoreThread(own);
    return is_read ? PyLong_FromUnsignedLongLong(after.n_waits - before.n_waits) : sg_values_none();
}

/* ---- Where a thread's steps between samples are counted ---- */

static PyObject *heap_stripe(PyObject *self, PyObject *args) {
    return PyLong_FromUnsignedLong(sg_allocator_hooks_stripe());
}

static PyObject *native_stripe(PyObject *self, PyObject *args) {
    return PyLong_FromUnsignedLong(sg_native_countdown_stripe());
}

/* ---- Native samples of threads that allocate at the same time ---- */

enum { MOST_STEPPERS = 16 };
struct stepper {
    pthread_t thread;
    uint64_t n_steps, size, rate, n_sampled;
};

static void *step(void *argument) {
    struct stepper *stepper = argument;
    for (uint64_t i = 0; i < stepper->n_steps; i++) {
        uint64_t rate;
        stepper->n_sampled += sg_native_countdown_step(stepper->size, &rate) &&
                              rate == stepper->rate; /* else one is missing */
    }
    return NULL;
}

/* (threads, steps of each, size, rate): how many were sampled in all. */
static PyObject *native_steps(PyObject *self, PyObject *args) {
    unsigned int n_threads;
    unsigned long long n_steps, size, rate, n_sampled = 0;
    struct stepper steppers[MOST_STEPPERS];
    if (!PyArg_ParseTuple(args, "IKKK", &n_threads, &n_steps, &size, &rate))
        return NULL;
    sg_native_countdown_set_rate(rate);
    for (unsigned int i = 0; i < n_threads && i < MOST_STEPPERS; i++) {
        steppers[i] = (struct stepper){.n_steps = n_steps, .size = size, .rate = rate};
        if (pthread_create(&steppers[i].thread, NULL, step, &steppers[i]))
            abort();
    }
    for (unsigned int i = 0; i < n_threads && i < MOST_STEPPERS; i++) {
        pthread_join(steppers[i].thread, NULL);
        n_sampled += steppers[i].n_sampled;
    }
    sg_native_countdown_set_rate(0);
    return PyLong_FromUnsignedLongLong(n_sampled);
}

/* ---- Engine threads that do not return ---- */

static void end_inside(void) { pthread_exit(NULL); }

/* (n): so many engine threads, one after the other, that end as Python ends a thread. */
static PyObject *engine_threads_end(PyObject *self, PyObject *args) {
    unsigned int n;
    int failed = 0;
    if (!PyArg_ParseTuple(args, "I", &n))
        return NULL;
    sg_thread_arena_learn();
    for (unsigned int i = 0; i < n && !failed; i++) {
        struct sg_engine_thread started;
        failed = sg_engine_thread_start(&started, end_inside, 128 * 1024);
        if (!failed)
            sg_engine_thread_join(&started);
    }
    return PyLong_FromLong(failed);
}

PyMethodDef sg_step_bindings[] = {
    {"engine_threads_end", engine_threads_end, METH_VARARGS, "(n): 0, or errno of a start."},
    {"log_active", log_active, METH_NOARGS, "The half of the sample log that is written to."},
    {"log_try_enter", log_try_enter, METH_VARARGS, "log_try_enter(half): is it active still?"},
    {"log_leave", log_leave, METH_VARARGS, "log_leave(half)"},
    {"log_turn", log_turn, METH_NOARGS, "False if a writer is in the half to be read."},
    {"tick_send", tick_send, METH_VARARGS, "(to tid, slot's tid): a tick for another's slot."},
    {"tick_count", tick_count, METH_NOARGS, "Ticks taken by handlers of threads that live."},
    {"lock_wait_begin", wait_begin, METH_VARARGS, "(address, since in ns): an entry."},
    {"lock_wait_end", wait_end, METH_VARARGS, "lock_wait_end(entry)"},
    {"lock_wait_labels", wait_labels, METH_VARARGS, "As lock_wait_charge: the label sets."},
    {"lock_wait_charge", wait_charge, METH_VARARGS, "(address, began, now): [delay in ns]"},
    {"lock_hold_first", hold_first, METH_VARARGS, "(address): its first waiter is about to wait."},
    {"lock_hold_release", hold_release, METH_VARARGS, "(address, fraction, now): (draw, began)"},
    {"lock_hold_weight", hold_weight, METH_VARARGS, "(began, now, fraction)"},
    {"gil_engine_holds", gil_engine_holds, METH_VARARGS, "(ns): as an engine's thread."},
    {"gil_engine_jobs", gil_engine_jobs, METH_VARARGS, "(n, hold, tail, patience): [charged ns]"},
    {"gil_engine_takes_twice", gil_engine_takes_twice, METH_VARARGS, "see _core_testing.pyi"},
    {"native_stripe", native_stripe, METH_NOARGS, "The same for allocations of C code."},
    {"native_steps", native_steps, METH_VARARGS, "(threads, steps, size, rate): samples."},
    {"heap_stripe", heap_stripe, METH_NOARGS, "The number of the calling thread's stripe."},
    {NULL, NULL, 0, NULL},
};
