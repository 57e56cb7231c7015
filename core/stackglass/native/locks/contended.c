/* The slow path: waiting for a lock, and releasing one that threads wait for.
 *
 *     held ──▶ wait: begin ─▶ original ─▶ end ─▶ record_wait
 *     free, no waiter ──▶ original (hooks.c)
 *     seems free but has waiters, or its state cannot be read
 *          ──▶ try without blocking ── success ──▶ done
 *                                   └─ failure ──▶ wait
 *     release with waiters ─▶ is its hold drawn (sampling.h)? ── no ──▶ original
 *                             └─ yes ─▶ charge its waiters ─▶ record_release ─▶ original
 *
 * Arguments, results and exceptions are passed on unchanged. Nothing here runs code of the program,
 * except the originals, which may run Python signal handlers. */
#include "locks/contended.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "contention/contention.h"
#include "interpreter/interpreters.h"
#include "interpreter/python_text.h"
#include "labels/labels.h"
#include "locks/sampling.h"
#include "locks/state.h"
#include "locks/table.h"
#include "locks/totals.h"
#include "locks/waits.h"
#include "platform/engine_threads.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"
#include "platform/time.h"

/* All guarded by the GIL. */
static bool is_open;
static void (*learn)(void);  /* see sg_lock_contended_open */
static Py_ssize_t n_modules; /* loaded when `learn` was last called */
static uint32_t n_sessions;  /* a wait that outlives its session is not recorded */

static const enum sg_primitive PRIMITIVES[SG_N_LOCK_ROWS] = {
    [SG_LOCK_ACQUIRE] = SG_PRIMITIVE_LOCK_ACQUIRE,
    [SG_LOCK_ACQUIRE_LOCK] = SG_PRIMITIVE_LOCK_ACQUIRE,
    [SG_LOCK_ENTER] = SG_PRIMITIVE_LOCK_ENTER,
    [SG_LOCK_RELEASE] = SG_PRIMITIVE_LOCK_RELEASE,
    [SG_LOCK_RELEASE_LOCK] = SG_PRIMITIVE_LOCK_RELEASE,
    [SG_LOCK_EXIT] = SG_PRIMITIVE_LOCK_EXIT,
    [SG_RLOCK_ACQUIRE] = SG_PRIMITIVE_RLOCK_ACQUIRE,
    [SG_RLOCK_ENTER] = SG_PRIMITIVE_RLOCK_ENTER,
    [SG_RLOCK_ACQUIRE_RESTORE] = SG_PRIMITIVE_RLOCK_ACQUIRE_RESTORE,
    [SG_RLOCK_RELEASE] = SG_PRIMITIVE_RLOCK_RELEASE,
    [SG_RLOCK_EXIT] = SG_PRIMITIVE_RLOCK_EXIT,
    [SG_RLOCK_RELEASE_SAVE] = SG_PRIMITIVE_RLOCK_RELEASE_SAVE,
    [SG_SIMPLE_QUEUE_GET] = SG_PRIMITIVE_SIMPLE_QUEUE_GET,
    [SG_THREAD_JOIN] = SG_PRIMITIVE_THREAD_JOIN,
};

static bool is_rlock(enum sg_lock_row row) {
    return row >= SG_RLOCK_ACQUIRE && row <= SG_RLOCK_RELEASE_SAVE;
}

void sg_lock_contended_open(void (*learn_modules)(void)) {
    is_open = true;
    sg_lock_totals_reset();
    learn = learn_modules;
    n_sessions++;
    n_modules = 0;
}

void sg_lock_contended_close(void) { is_open = false; }

bool sg_lock_contended_is_open(void) { return is_open; }

/* Learn the types and functions of modules that were imported since the last call. A program that
 * is recorded from its first line imports modules while it is recorded; without their functions the
 * stacks of the first waits would be trimmed wrongly. */
static void learn_modules(const void *thread) {
    if (!sg_interpreters_is_home(thread))
        return; /* the engine keeps no types and functions of another interpreter */
    Py_ssize_t n = PyDict_Size(PyImport_GetModuleDict());
    if (n == n_modules)
        return;
    n_modules = n;
    learn();
    sg_contention_learn();
}

/* ---- Waiting ---- */

/* Call the original, which may block, and record the wait. Unless `is_sure`, the wait is recorded
 * only if the call returns True. */
static PyObject *wait(enum sg_lock_row row, const struct sg_method_patch_call *call,
                      struct sg_lock_wait *facts, bool is_sure) {
    struct sg_lock_slot *slot = sg_lock_table_slot(call->self);
    uint32_t session = n_sessions;
    bool is_recorded = sg_contention_block_rate() != 0;
    facts->lock = call->self;
    facts->primitive = PRIMITIVES[row];
    facts->thread = PyThreadState_Get();
    facts->tid = sg_thread_ids_own();
    if (sg_engine_threads_has(facts->tid))
        return sg_method_patch_call(&sg_lock_calls_patches[row], call);
    learn_modules(facts->thread);
    facts->is_charged = sg_contention_mutex_fraction() != 0;
    if (!sg_lock_table_has_waiters(slot))
        sg_lock_sampling_hold_is_first(slot, call->self);
    facts->since_mono_ns = sg_time_mono_ns();
    uint32_t entry = sg_lock_waits_begin(facts);
    PyObject *result = sg_method_patch_call(&sg_lock_calls_patches[row], call);
    int64_t delay_ns = sg_time_mono_ns() - facts->since_mono_ns;
    sg_lock_waits_end(entry);
    if (!is_open || session != n_sessions || (!is_sure && result != Py_True))
        return result;
    sg_lock_totals_add(delay_ns);
    if (!is_recorded)
        return result;
    sg_lock_wait_expect_number(call->self);
    sg_contention_record_wait(SG_CONTENTION_BLOCK, facts->primitive, call->self,
                              SG_CONTENTION_OWN_STACK, SG_NO_LABELS, delay_ns);
    return result;
}

/* Do what _acquire_restore does, but without waiting. Returns None, NULL with an exception, or
 * `unable` if the call would have to wait. */
static PyObject *try_restore(const struct sg_method_patch_call *call, PyObject *unable) {
    unsigned long n_times = sg_lock_calls_rlock_times_of(call);
    if (!n_times || n_times > 1000)
        return unable; /* not known, or so deep that the original is quicker */
    for (unsigned long i = 0; i < n_times; i++) {
        PyObject *result = sg_lock_calls_try(call->self, true);
        bool is_taken = result == Py_True, has_raised = !result;
        Py_XDECREF(result);
        if (!is_taken) /* only the first can fail */
            return has_raised ? NULL : unable;
    }
    Py_INCREF(Py_None);
    return Py_None;
}

/* Try to acquire the lock without waiting. Returns the call's result, or `unable` if the call would
 * have to wait. */
static PyObject *attempt(enum sg_lock_row row, const struct sg_method_patch_call *call,
                         PyObject *unable) {
    if (row == SG_RLOCK_ACQUIRE_RESTORE)
        return try_restore(call, unable);
    if (!is_rlock(row) && sg_lock_state_words.handle >= 0) {
        PyObject *outcome = sg_lock_state_take(call->self) ? Py_True : unable;
        if (outcome != unable)
            Py_INCREF(outcome);
        return outcome;
    }
    PyObject *result = sg_lock_calls_try(call->self, is_rlock(row));
    if (result != Py_False)
        return result;
    Py_DECREF(result);
    return unable;
}

static bool is_held(enum sg_lock_row row, const void *lock) {
    return is_rlock(row) ? sg_lock_state_rlock_is_held(lock) : sg_lock_state_is_held(lock);
}

/* Whether the lock's state shows that the call need not wait. */
static bool is_available(enum sg_lock_row row, const void *lock) {
    if (!sg_lock_state_words.is_known)
        return false;
    if (is_rlock(row) && sg_lock_state_rlock_owner(lock) == PyThread_get_thread_ident())
        return true;
    bool is_exact =
        is_rlock(row) ? sg_lock_state_words.is_rlock_exact : sg_lock_state_words.is_exact;
    return is_exact && !is_held(row, lock);
}

static PyObject *acquire(enum sg_lock_row row, const struct sg_method_patch_call *call) {
    enum sg_lock_patience patience = sg_lock_calls_patience_of(row, call);
    struct sg_lock_wait facts = {0};
    if (!is_open || patience == SG_LOCK_NEVER_WAITS || is_available(row, call->self))
        return sg_method_patch_call(&sg_lock_calls_patches[row], call);
    bool is_sure = patience == SG_LOCK_MAY_WAIT;
    bool is_seen_held = sg_lock_state_words.is_known && is_held(row, call->self);
    if (is_sure && !is_seen_held) {
        PyObject *result = attempt(row, call, Py_NotImplemented);
        if (result != Py_NotImplemented)
            return result;
    }
    return wait(row, call, &facts, is_sure);
}

PyObject *sg_lock_contended_acquire(enum sg_lock_row row, const struct sg_method_patch_call *call) {
    PyObject *result = acquire(row, call);
    if (result == Py_True && !is_rlock(row))
        sg_lock_table_take(sg_lock_table_slot(call->self), call->self);
    return result;
}

PyObject *sg_lock_contended_get(enum sg_lock_row row, const struct sg_method_patch_call *call) {
    enum sg_lock_patience patience = sg_lock_calls_patience_of(row, call);
    struct sg_lock_wait facts = {0};
    if (!is_open || patience != SG_LOCK_MAY_WAIT ||
        !sg_lock_calls_ask(SG_QUEUE_IS_EMPTY, call->self))
        return sg_method_patch_call(&sg_lock_calls_patches[row], call);
    return wait(row, call, &facts, true);
}

/* Return the pthread_t of the thread that a joiner waits for, given by its handle; 0 = not
 * known. */
static uintptr_t joined_by(PyObject *handle) {
    PyObject *ident = sg_python_text_attribute(handle, "ident"); /* a C type without subclasses */
    uint64_t thread = ident && PyLong_Check(ident) ? PyLong_AsUnsignedLongLong(ident) : 0;
    Py_XDECREF(ident);
    if (PyErr_Occurred())
        thread = 0;
    PyErr_Clear();
    return (uintptr_t)thread;
}

PyObject *sg_lock_contended_join(enum sg_lock_row row, const struct sg_method_patch_call *call) {
    enum sg_lock_patience patience = sg_lock_calls_patience_of(row, call);
    struct sg_lock_wait facts = {0};
    if (!is_open || patience != SG_LOCK_MAY_WAIT ||
        sg_lock_calls_ask(SG_THREAD_IS_DONE, call->self))
        return sg_method_patch_call(&sg_lock_calls_patches[row], call);
    facts.joined = joined_by(call->self);
    return wait(row, call, &facts, true);
}

/* ---- Releasing ---- */

/* Charge the waiters of `lock` to its release, or only restart their charge if the hold has no
 * weight. Not inlined: it needs 8 KB of stack, which most releases should not touch. */
__attribute__((noinline)) static void charge(enum sg_lock_row row, PyObject *lock, uint32_t draw,
                                             int64_t now_mono_ns, uint64_t fraction) {
    struct sg_contention_waiter waiters[SG_LOCK_CHARGES];
    int64_t began_mono_ns = sg_lock_sampling_hold_began(sg_lock_table_slot(lock), draw);
    double weight = draw & SG_HOLD_IS_CHARGED
                        ? sg_lock_sampling_hold_weight(began_mono_ns, now_mono_ns, fraction)
                        : 0;
    if (!weight && began_mono_ns > 0) /* the next charge begins with its own hold anyway */
        return;
    size_t n = sg_lock_waits_charge(lock, began_mono_ns, now_mono_ns, waiters);
    if (!n || !weight)
        return;
    sg_lock_wait_expect_number(lock);
    sg_contention_record_drawn_release(PRIMITIVES[row], lock, waiters, (uint32_t)n, weight);
}

/* Whether the caller still holds an RLock after a release, having taken it more than once. */
static bool is_still_own(PyObject *lock) {
    return sg_lock_state_words.is_known
               ? sg_lock_state_rlock_owner(lock) == PyThread_get_thread_ident()
               : sg_lock_calls_ask(SG_RLOCK_IS_OWNED, lock);
}

static void end_hold(enum sg_lock_row row, PyObject *lock, uint32_t draw, int64_t now_mono_ns,
                     uint64_t fraction) {
    if (draw & SG_HOLD_IS_SEEN)
        charge(row, lock, draw, now_mono_ns, fraction);
    sg_lock_sampling_hold_ends(sg_lock_table_slot(lock), draw, now_mono_ns);
}

/* A release that certainly succeeds is charged before the original is called. If it were charged
 * afterwards, the lock would be free meanwhile: a woken thread could take it before the thread that
 * would be first otherwise, and each such change costs a context switch. Other releases are charged
 * afterwards; the woken waiters then wait for the GIL. */
PyObject *sg_lock_contended_release(enum sg_lock_row row, const struct sg_method_patch_call *call) {
    struct sg_lock_slot *slot = sg_lock_table_slot(call->self);
    if (!is_open) {
        if (!is_rlock(row))
            sg_lock_table_release(slot, call->self);
        return sg_method_patch_call(&sg_lock_calls_patches[row], call);
    }
    uint64_t fraction = sg_contention_mutex_fraction();
    uint32_t draw = sg_lock_sampling_draw(slot, call->self, fraction);
    int64_t released_mono_ns = draw & SG_HOLD_IS_TIMED ? sg_time_mono_ns() : 0;
    bool is_sure =
        !is_rlock(row) && sg_lock_state_words.is_known && sg_lock_state_is_held(call->self);
    if (is_sure)
        end_hold(row, call->self, draw, released_mono_ns, fraction);
    if (!is_rlock(row))
        sg_lock_table_release(slot, call->self);
    PyObject *result = sg_method_patch_call(&sg_lock_calls_patches[row], call);
    if (result && !is_sure && !(is_rlock(row) && is_still_own(call->self)))
        end_hold(row, call->self, draw, released_mono_ns, fraction);
    return result;
}
