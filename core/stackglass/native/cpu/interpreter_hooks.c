/* Interpreter hooks: a wrapper for each function and calling convention, because a wrapper has to
 * have the convention of the function that it replaces (interpreter/method_wrappers.h). */
#include "cpu/interpreter_hooks.h"

#include <Python.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "interpreter/method_wrappers.h"

/* Guarded by the GIL. The callbacks stay after removal, gated by `is_installed`: another tool that
 * has wrapped a function may still call it. */
enum { START_NEW_THREAD, START_NEW, START_JOINABLE, N_STARTS };
static struct sg_method_patch starts[N_STARTS];
static struct sg_method_patch signal_patch;
static void (*thread_started)(void);
static sg_on_start *_Atomic starts_watch; /* NULL = none */
static void (*signal_wanted)(int);
static _Atomic bool is_installed;

/* Call the callbacks after a start that returned `result`. The caller's arguments keep `function`,
 * which the new thread calls; NULL = there is none. */
static PyObject *report_start(PyObject *function, PyObject *result) {
    if (!result || !atomic_load(&is_installed))
        return result;
    sg_on_start *on_start = atomic_load(&starts_watch);
    if (on_start)
        on_start(function, result);
    thread_started();
    return result;
}

static PyObject *first_of(PyObject *args) {
    return PyTuple_Size(args) > 0 ? PyTuple_GetItem(args, 0) : NULL; /* borrowed */
}

#define START_WRAPPERS(which)                                                                      \
    static PyObject *varargs_##which(PyObject *self, PyObject *args) {                             \
        return report_start(first_of(args), starts[which].original(self, args));                   \
    }                                                                                              \
    static PyObject *keywords_##which(PyObject *self, PyObject *args, PyObject *names) {           \
        return report_start(                                                                       \
            first_of(args),                                                                        \
            ((sg_keywords_function *)(void *)starts[which].original)(self, args, names));          \
    }                                                                                              \
    static PyObject *fast_##which(PyObject *self, PyObject *const *args, Py_ssize_t n) {           \
        return report_start(n > 0 ? args[0] : NULL,                                                \
                            ((sg_fast_function *)(void *)starts[which].original)(self, args, n));  \
    }                                                                                              \
    static PyObject *fast_keywords_##which(PyObject *self, PyObject *const *args, Py_ssize_t n,    \
                                           PyObject *names) {                                      \
        return report_start(                                                                       \
            n > 0 ? args[0] : NULL,                                                                \
            ((sg_fast_keywords_function *)(void *)starts[which].original)(self, args, n, names));  \
    }
#define START_CONVENTIONS(which)                                                                   \
    {                                                                                              \
        .varargs = varargs_##which, .varargs_keywords = (PyCFunction)(void *)keywords_##which,     \
        .fast = (PyCFunction)(void *)fast_##which,                                                 \
        .fast_keywords = (PyCFunction)(void *)fast_keywords_##which,                               \
    }

START_WRAPPERS(START_NEW_THREAD)
START_WRAPPERS(START_NEW)
START_WRAPPERS(START_JOINABLE)

static const struct {
    const char *name;
    struct sg_by_convention by_convention;
} START_FUNCTIONS[N_STARTS] = {
    {"start_new_thread", START_CONVENTIONS(START_NEW_THREAD)},
    {"start_new", START_CONVENTIONS(START_NEW)},
    {"start_joinable_thread", START_CONVENTIONS(START_JOINABLE)},
};

/* Report `number` to `signal_wanted`: the program is about to call signal.signal(number, …). */
static void ask_for_signal(PyObject *number) {
    if (!atomic_load(&is_installed) || !number || !PyLong_Check(number))
        return; /* signal.signal() itself reports the error */
    long signo = PyLong_AsLong(number);
    if (signo == -1 && PyErr_Occurred())
        PyErr_Clear();
    else if (signo > 0 && signo < 128)
        signal_wanted((int)signo);
}

static PyObject *signal_varargs(PyObject *self, PyObject *args) {
    if (PyTuple_Size(args) > 0)
        ask_for_signal(PyTuple_GetItem(args, 0));
    return signal_patch.original(self, args);
}

static PyObject *signal_fast(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    if (n > 0)
        ask_for_signal(args[0]);
    return ((sg_fast_function *)(void *)signal_patch.original)(self, args, n);
}

int sg_interpreter_hooks_install(void (*on_thread_start)(void), void (*on_signal_wanted)(int)) {
    const struct sg_by_convention signal_conventions = {
        .varargs = signal_varargs,
        .fast = (PyCFunction)(void *)signal_fast,
    };
    thread_started = on_thread_start;
    signal_wanted = on_signal_wanted;
    int outcome = 0;
    /* A function that is missing, or that the program has replaced by a Python function, is not
     * patched: then the sampler finds threads by its scans. */
    for (int i = 0; i < N_STARTS && outcome >= 0; i++)
        outcome = sg_method_patch_apply(&starts[i], "_thread", START_FUNCTIONS[i].name,
                                        &START_FUNCTIONS[i].by_convention);
    if (outcome >= 0)
        outcome = sg_method_patch_apply(&signal_patch, "_signal", "signal", &signal_conventions);
    if (outcome < 0) {
        sg_interpreter_hooks_remove();
        return -1;
    }
    atomic_store(&is_installed, true);
    return 0;
}

void sg_interpreter_hooks_watch_starts(sg_on_start *on_start) {
    atomic_store(&starts_watch, on_start);
}

void sg_interpreter_hooks_remove(void) {
    atomic_store(&is_installed, false);
    for (int i = 0; i < N_STARTS; i++)
        sg_method_patch_restore(&starts[i]);
    sg_method_patch_restore(&signal_patch);
}
