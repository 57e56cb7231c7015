/* Hooks: four patches of C code, and the times at which they are installed and removed.
 *
 *     closed ──open──▶ searching: 10 times a second for 5 s, then every 2 s ──asyncio found──▶ on
 *                          ▲                                                                  │
 *                          └──────────────────── all rates 0: removed ◀───────────────────────┘
 *
 * The hook of `await` overwrites am_await, a slot of the type Future. That the slot's offset is
 * right is checked before: the type's `__await__` has a copy of the slot. The type of the iterator
 * is learned from the first iterator that is made. */
#include "asyncio/hooks.h"

#include <Python.h>

#include <stdatomic.h>
#include <string.h>

#include "asyncio/callers.h"
#include "asyncio/stalls.h"
#include "asyncio/waits.h"
#include "contention/contention.h"
#include "interpreter/dealloc_patch.h"
#include "interpreter/jit_traces.h"
#include "interpreter/method_patch.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"
#include "platform/time.h"

enum {
    TP_AS_ASYNC = 80,        /* PyTypeObject; its first member is am_await */
    WRAPPED = 48,            /* PyWrapperDescrObject.d_wrapped, behind a PyDescrObject and d_base */
    SOON_NS = 100 * 1000000, /* between the first N_SOON searches for asyncio */
    N_SOON = 50,
};
static const int64_t LATER_NS = 2000 * INT64_C(1000000);

static _Atomic bool is_open, is_on;    /* written with the GIL held */
static _Atomic int64_t search_mono_ns; /* of the next search for asyncio; lock-free */
static int n_searches;                 /* since the rates were last 0; guarded by the GIL */

/* Guarded by the GIL. The original functions stay known after the removal, because callers may have
 * kept a patched method. */
static PyTypeObject *future_type, *iterator_type; /* owned while on; NULL = not hooked */
static unaryfunc original_await;
static struct sg_dealloc_patch iterator_deaths;
static struct sg_method_patch set_result_patch, run_patch;

static inline bool are_waits_wanted(void) {
    return sg_contention_block_rate() || sg_contention_mutex_fraction();
}

static inline bool is_wanted(void) { return are_waits_wanted() || sg_contention_stall_ns(); }

static inline bool is_recording(void) {
    return atomic_load_explicit(&is_on, memory_order_relaxed) && is_wanted();
}

/* ---- await future ---- */

static unaryfunc *await_slot(const PyTypeObject *type) {
    unaryfunc **methods = (unaryfunc **)((uintptr_t)type + TP_AS_ASYNC);
    return *methods;
}

static void free_iterator(PyObject *iterator) {
    if (sg_asyncio_waits_count)
        sg_asyncio_waits_end(iterator);
    iterator_deaths.original(iterator);
}

/* Hook the iterators' type, which no module names, when the first iterator is made. Returns whether
 * `iterator` has the hooked type. */
static bool learn_iterator(PyObject *iterator) {
    PyTypeObject *type = Py_TYPE(iterator);
    if (type == iterator_type)
        return true;
    PyObject *name = iterator_type ? NULL : sg_python_text_attribute((PyObject *)type, "__name__");
    bool is_it = name && PyUnicode_Check(name) &&
                 !PyUnicode_CompareWithASCIIString(name, "FutureIter") &&
                 !sg_dealloc_patch_apply(&iterator_deaths, type, free_iterator);
    Py_XDECREF(name);
    PyErr_Clear();
    if (is_it) {
        Py_INCREF(type);
        iterator_type = type;
    }
    return is_it;
}

static PyObject *await_future(PyObject *future) {
    struct sg_asyncio_call call;
    PyObject *iterator = original_await(future);
    if (iterator && is_recording() && are_waits_wanted() && sg_asyncio_callers_is_wait(&call) &&
        learn_iterator(iterator))
        sg_asyncio_waits_begin(iterator, future, &call);
    return iterator;
}

/* Is the slot at the expected offset? The type's `__await__` has a copy of it. */
static bool is_slot_as_expected(PyObject *type, unaryfunc *slot) {
    uintptr_t wrapped = 0, found = 1;
    PyObject *wrapper = sg_python_text_attribute(type, "__await__");
    bool is_expected = wrapper && Py_TYPE(wrapper) == &PyWrapperDescr_Type &&
                       sg_memory_read((uintptr_t)wrapper + WRAPPED, &wrapped, sizeof wrapped) &&
                       sg_memory_read((uintptr_t)slot, &found, sizeof found) &&
                       (found == wrapped || (unaryfunc)found == await_future);
    Py_XDECREF(wrapper);
    PyErr_Clear();
    return is_expected;
}

static bool hook_await(PyObject *type) {
    unaryfunc *slot = await_slot((PyTypeObject *)type);
    if (!slot || !is_slot_as_expected(type, slot))
        return false;
    if (*slot != await_future) {
        original_await = *slot;
        if (!sg_memory_store((void **)slot, (void *)await_future))
            return false;
    }
    return true;
}

static void unhook_await(PyTypeObject *type) {
    unaryfunc *slot = await_slot(type);
    if (*slot == await_future)
        *slot = original_await;
}

/* ---- future.set_result() ---- */

static PyObject *set_result(const struct sg_method_patch_call *call) {
    struct sg_asyncio_call release;
    PyObject *result = sg_method_patch_call(&set_result_patch, call);
    if (result && sg_asyncio_waits_count && sg_contention_mutex_fraction() && is_recording() &&
        sg_asyncio_callers_is_release(&release))
        sg_asyncio_waits_charge(call->self, &release);
    return result;
}

static PyObject *set_result_plain(PyObject *self, PyObject *value) {
    return set_result(&(struct sg_method_patch_call){.self = self, .args = value});
}

static PyObject *set_result_method(PyObject *self, PyTypeObject *defining, PyObject *const *fast,
                                   Py_ssize_t n, PyObject *names) {
    return set_result(&(struct sg_method_patch_call){
        .self = self, .defining = defining, .fast = fast, .n_fast = n, .names = names});
}

/* ---- context.run(callback) ---- */

static PyObject *run(PyObject *self, PyObject *const *fast, Py_ssize_t n, PyObject *names) {
    struct sg_method_patch_call call = {.self = self, .fast = fast, .n_fast = n, .names = names};
    if (!is_recording() || !sg_contention_stall_ns() || !sg_asyncio_callers_is_handle())
        return sg_method_patch_call(&run_patch, &call);
    struct sg_asyncio_callback callback = sg_asyncio_stalls_begin();
    PyObject *result = sg_method_patch_call(&run_patch, &call);
    sg_asyncio_stalls_end(&callback);
    return result;
}

/* ---- Installing and removing ---- */

static void install(void) {
    const struct sg_by_convention set_results = {
        .one_argument = set_result_plain,
        .method = (PyCFunction)(void *)set_result_method,
    };
    const struct sg_by_convention runs = {.fast_keywords = (PyCFunction)(void *)run};
    /* Borrowed. `future` is NULL if futures are implemented in Python. */
    PyObject *future = sg_python_text_global_type("_asyncio", "Future");
    PyObject *context = sg_python_text_global_type("_contextvars", "Context");
    if (!sg_asyncio_callers_learn() || sg_asyncio_waits_prepare())
        return;
    if (future && hook_await(future)) {
        Py_INCREF(future);
        future_type = (PyTypeObject *)future;
        sg_method_patch_apply_in(&set_result_patch, future, "set_result", &set_results);
    }
    if (context)
        sg_method_patch_apply_in(&run_patch, context, "run", &runs);
    sg_contention_learn();
    sg_jit_traces_forget();
    atomic_store(&is_on, true);
}

static void restore(void) {
    atomic_store(&is_on, false);
    if (future_type)
        unhook_await(future_type);
    sg_dealloc_patch_restore(&iterator_deaths, free_iterator);
    sg_method_patch_restore(&set_result_patch);
    sg_method_patch_restore(&run_patch);
    sg_asyncio_stalls_forget();
}

static void remove_hooks(void) {
    restore();
    sg_jit_traces_forget();
    sg_asyncio_waits_discard();
    sg_asyncio_callers_forget();
    Py_CLEAR(future_type);
    Py_CLEAR(iterator_type);
}

void sg_asyncio_hooks_open(void) {
    n_searches = 0;
    atomic_store(&search_mono_ns, 0);
    atomic_store(&is_open, true);
}

void sg_asyncio_hooks_close(void) {
    if (atomic_exchange(&is_open, false) && atomic_load(&is_on))
        remove_hooks();
}

void sg_asyncio_hooks_after_fork_in_child(void) {
    if (!atomic_exchange(&is_open, false) || !atomic_load(&is_on))
        return;
    restore();
    sg_asyncio_waits_abandon();
    sg_asyncio_callers_abandon();
    future_type = iterator_type = NULL; /* references stay: the GIL may not be held */
}

bool sg_asyncio_hooks_are_on(void) { return atomic_load(&is_on); }

bool sg_asyncio_hooks_are_due(int64_t now_mono_ns) {
    if (!atomic_load(&is_open))
        return false;
    if (!is_wanted())
        return atomic_load(&is_on);
    return atomic_load(&is_on) ? sg_asyncio_stalls_are_due(now_mono_ns)
                               : now_mono_ns >= atomic_load(&search_mono_ns);
}

void sg_asyncio_hooks_check(void) {
    if (atomic_load(&is_on))
        sg_asyncio_callers_check();
}

void sg_asyncio_hooks_maintain(void) {
    if (!atomic_load(&is_open))
        return;
    if (!is_wanted()) {
        n_searches = 0;
        atomic_store(&search_mono_ns, 0);
        if (atomic_load(&is_on))
            remove_hooks();
        return;
    }
    if (!atomic_load(&is_on)) {
        install();
        n_searches += n_searches < N_SOON;
        atomic_store(&search_mono_ns,
                     sg_time_mono_ns() + (n_searches < N_SOON ? SOON_NS : LATER_NS));
    }
    sg_asyncio_stalls_sample();
}
