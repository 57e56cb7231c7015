/* Wrappers, one for each method and calling convention, generated from one list (ROWS): the macros
 * in it say what a method does (TAKES, GIVES, WAITS) and which test decides about its fast path.
 *
 *     acquire:  certainly free? ── yes ──▶ one store: this thread holds it ──▶ original
 *     release:  has waiters, and its hold is drawn? ── no ──▶ original
 *
 * All other calls go to contended.h. Wrappers are never unmapped: a thread may block in one, and
 * the JIT of 3.15 may have compiled calls of wrappers into its traces. */
#include "locks/hooks.h"

#include <Python.h>

#include <stdatomic.h>

#include "contention/sites.h"
#include "interpreter/jit_traces.h"
#include "interpreter/method_wrappers.h"
#include "locks/calls.h"
#include "locks/contended.h"
#include "locks/created.h"
#include "locks/destroyed.h"
#include "locks/sampling.h"
#include "locks/state.h"
#include "locks/table.h"
#include "locks/types.h"
#include "platform/thread_ids.h"

static _Atomic bool is_installed;                 /* written with the GIL held */
static PyTypeObject *lock_types[SG_N_LOCK_TYPES]; /* owned while installed; guarded by the GIL */

/* ---- The fast path: may the original be called right away? ---- */

/* Whether the original certainly takes `lock` without waiting; state.h says how that is known. */
static inline bool is_surely_free(const struct sg_lock_slot *slot, PyObject *lock) {
    if (sg_lock_state_words.semaphore >= 0)
        return sg_lock_state_semaphore_is_free(lock, sg_lock_state_words.semaphore) &&
               !sg_lock_table_has_waiters(slot);
    return sg_lock_state_words.is_exact && !sg_lock_state_is_held(lock);
}

static inline bool takes_lock(PyObject *lock) {
    struct sg_lock_slot *slot = sg_lock_table_slot(lock);
    if (!SG_LIKELY(is_surely_free(slot, lock)))
        return false;
    sg_lock_table_take(slot, lock);
    return true;
}

static inline bool takes_rlock(PyObject *lock) {
    if (!SG_LIKELY(sg_lock_state_words.is_known))
        return false;
    uint64_t owner = sg_lock_state_rlock_owner(lock);
    if (owner)
        return owner == (uint64_t)sg_thread_ids_self();
    if (sg_lock_state_words.rlock_semaphore >= 0)
        return sg_lock_state_semaphore_is_free(lock, sg_lock_state_words.rlock_semaphore) &&
               !sg_lock_table_has_waiters(sg_lock_table_slot(lock));
    return sg_lock_state_words.is_rlock_exact && !sg_lock_state_rlock_is_held(lock);
}

static inline bool gives_lock(PyObject *lock) {
    struct sg_lock_slot *slot = sg_lock_table_slot(lock);
    sg_lock_table_release(slot, lock);
    return SG_LIKELY(!sg_lock_table_has_waiters(slot));
}

static inline bool gives_rlock(PyObject *lock) {
    return SG_LIKELY(!sg_lock_table_has_waiters(sg_lock_table_slot(lock)));
}

/* Whether a release of a lock that has waiters needs no record: its hold is not charged. */
static inline bool gives_unseen(PyObject *lock) {
    return sg_lock_sampling_hold_passes(sg_lock_table_slot(lock), lock);
}

/* ---- Wrappers ---- */

#define TAKES(X, row, type, name, passes)                                                          \
    X(row, type, name, passes, sg_method_wrapper_never_passes, sg_lock_contended_acquire)
#define GIVES(X, row, type, name, passes)                                                          \
    X(row, type, name, passes, gives_unseen, sg_lock_contended_release)
#define WAITS(X, row, type, name, wait)                                                            \
    X(row, type, name, sg_method_wrapper_never_passes, sg_method_wrapper_never_passes, wait)

#define ROWS(X)                                                                                    \
    TAKES(X, SG_LOCK_ACQUIRE, SG_TYPE_LOCK, "acquire", takes_lock)                                 \
    TAKES(X, SG_LOCK_ACQUIRE_LOCK, SG_TYPE_LOCK, "acquire_lock", takes_lock)                       \
    TAKES(X, SG_LOCK_ENTER, SG_TYPE_LOCK, "__enter__", takes_lock)                                 \
    GIVES(X, SG_LOCK_RELEASE, SG_TYPE_LOCK, "release", gives_lock)                                 \
    GIVES(X, SG_LOCK_RELEASE_LOCK, SG_TYPE_LOCK, "release_lock", gives_lock)                       \
    GIVES(X, SG_LOCK_EXIT, SG_TYPE_LOCK, "__exit__", gives_lock)                                   \
    TAKES(X, SG_RLOCK_ACQUIRE, SG_TYPE_RLOCK, "acquire", takes_rlock)                              \
    TAKES(X, SG_RLOCK_ENTER, SG_TYPE_RLOCK, "__enter__", takes_rlock)                              \
    TAKES(X, SG_RLOCK_ACQUIRE_RESTORE, SG_TYPE_RLOCK, "_acquire_restore", takes_rlock)             \
    GIVES(X, SG_RLOCK_RELEASE, SG_TYPE_RLOCK, "release", gives_rlock)                              \
    GIVES(X, SG_RLOCK_EXIT, SG_TYPE_RLOCK, "__exit__", gives_rlock)                                \
    GIVES(X, SG_RLOCK_RELEASE_SAVE, SG_TYPE_RLOCK, "_release_save", gives_rlock)                   \
    WAITS(X, SG_SIMPLE_QUEUE_GET, SG_TYPE_SIMPLE_QUEUE, "get", sg_lock_contended_get)              \
    WAITS(X, SG_THREAD_JOIN, SG_TYPE_THREAD_HANDLE, "join", sg_lock_contended_join)

#define X(row, type, name, passes, passes_yet, otherwise)                                          \
    SG_METHOD_WRAPPERS(row, sg_lock_calls_patches, passes, passes_yet, otherwise)
ROWS(X)
#undef X

static const struct {
    enum sg_lock_type type;
    const char *name;
    struct sg_by_convention by_convention;
} METHODS[SG_N_LOCK_ROWS] = {
#define X(row, type, name, passes, passes_yet, otherwise)                                          \
    [row] = {type, name, SG_METHOD_CONVENTIONS(row)},
    ROWS(X)
#undef X
};

/* ---- Installing and removing ---- */

/* Patch the methods of one type. Returns 0, 1 if there is no such type (yet), or -1 if the methods
 * cannot be patched. */
static int hook_type(enum sg_lock_type which) {
    PyObject *type = (PyObject *)sg_lock_types_find(which); /* owned here until it is kept */
    int outcome = type ? 0 : 1;
    for (int row = 0; row < SG_N_LOCK_ROWS && outcome == 0; row++) {
        /* A name that this version lacks, or calls by another convention, is skipped. */
        if (METHODS[row].type == which &&
            sg_method_patch_apply_in(&sg_lock_calls_patches[row], type, METHODS[row].name,
                                     &METHODS[row].by_convention) < 0)
            outcome = -1;
    }
    /* The slow path tries locks through these originals. */
    if (!outcome &&
        ((which == SG_TYPE_LOCK && !sg_lock_calls_patches[SG_LOCK_ACQUIRE].definition) ||
         (which == SG_TYPE_RLOCK && !sg_lock_calls_patches[SG_RLOCK_ACQUIRE].definition)))
        outcome = -1;
    if (outcome) {
        Py_XDECREF(type);
        return outcome;
    }
    lock_types[which] = (PyTypeObject *)type;
    sg_lock_destroyed_hook(which, (PyTypeObject *)type);
    sg_lock_created_hook(which, (PyTypeObject *)type);
    if (which == SG_TYPE_RLOCK)
        sg_lock_calls_learn_answer(SG_RLOCK_IS_OWNED, type);
    else if (which == SG_TYPE_SIMPLE_QUEUE)
        sg_lock_calls_learn_answer(SG_QUEUE_IS_EMPTY, type);
    else if (which == SG_TYPE_THREAD_HANDLE)
        sg_lock_calls_learn_answer(SG_THREAD_IS_DONE, type);
    return 0;
}

/* Patch the types that were not found before. Returns whether one was found now. */
static bool hook_further_types(void) {
    bool has_come = false;
    for (int which = 0; which < SG_N_LOCK_TYPES; which++)
        has_come |= !lock_types[which] && hook_type(which) == 0;
    return has_come;
}

static void unhook_types(void) {
    for (int row = 0; row < SG_N_LOCK_ROWS; row++)
        sg_method_patch_restore(&sg_lock_calls_patches[row]);
    sg_lock_created_unhook();
    sg_lock_destroyed_unhook();
    for (int which = 0; which < SG_N_LOCK_TYPES; which++)
        Py_CLEAR(lock_types[which]);
}

const char *sg_lock_hooks_install(void) {
    if (atomic_load(&is_installed))
        return NULL;
    if (!sg_lock_calls_prepare() || sg_lock_waits_prepare())
        return "there is no memory for the table of waiters";
    sg_lock_state_prepare();
    sg_lock_table_prepare();
    sg_lock_waits_revive();
    sg_contention_sites_prepare(); /* without memory no creation site is known */
    sg_lock_created_prepare();
    sg_lock_contended_open(sg_lock_hooks_learn);
    if (hook_type(SG_TYPE_LOCK) || hook_type(SG_TYPE_RLOCK)) {
        unhook_types();
        sg_lock_contended_close();
        sg_lock_waits_discard();
        sg_contention_sites_discard();
        return "the methods of locks cannot be replaced";
    }
    atomic_store(&is_installed, true);
    hook_further_types();
    sg_jit_traces_forget();
    return NULL;
}

void sg_lock_hooks_learn(void) {
    if (atomic_load(&is_installed) && hook_further_types())
        sg_jit_traces_forget();
}

void sg_lock_hooks_remove(void) {
    if (!atomic_exchange(&is_installed, false))
        return;
    unhook_types();
    sg_lock_contended_close();
    sg_lock_waits_discard();
    sg_contention_sites_discard();
    sg_lock_table_prepare();
    sg_jit_traces_forget(); /* the compiled traces call the wrappers */
}

PyTypeObject *sg_lock_hooks_type(enum sg_lock_type which) { return lock_types[which]; }

bool sg_lock_hooks_are_installed(void) { return atomic_load(&is_installed); }

void sg_lock_hooks_after_fork_in_child(void) {
    sg_lock_waits_after_fork_in_child();
    sg_contention_sites_after_fork_in_child();
    if (!atomic_exchange(&is_installed, false))
        return;
    for (int row = 0; row < SG_N_LOCK_ROWS; row++)
        sg_method_patch_restore(&sg_lock_calls_patches[row]);
    sg_lock_created_unhook();
    sg_lock_destroyed_unhook();
    for (int which = 0; which < SG_N_LOCK_TYPES; which++)
        lock_types[which] = NULL; /* the reference stays: the GIL may not be held */
    sg_lock_contended_close();
    sg_lock_table_prepare();
}

const char *sg_lock_hooks_source(void) {
    if (!atomic_load(&is_installed))
        return "";
    return sg_lock_state_words.is_known ? "state word" : "try first";
}
