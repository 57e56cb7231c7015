/* Patches of pthread_sigmask, sigwait, sigwaitinfo and sigtimedwait.
 *
 *     begin   the call's set has the sampler's signal ─▶ wait until the sampler signals this thread
 *             no more (skipped if the call only unblocks)
 *     call    the original function
 *     end     the signal is not blocked ─▶ the sampler may signal this thread again
 *
 * The set of signals is read only if reading it runs none of the program's code; a set that is not
 * read is taken to have the signal. Each function has one wrapper per calling convention, because
 * the convention differs between Python versions. */
#include "cpu/mask_hooks.h"

#include <Python.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "cpu/sampler_thread.h"
#include "cpu/thread_timers.h"
#include "interpreter/method_wrappers.h"

/* The patches are guarded by the GIL. */
enum { PTHREAD_SIGMASK, SIGWAIT, SIGWAITINFO, SIGTIMEDWAIT, N_FUNCTIONS };
static const char *const NAMES[N_FUNCTIONS] = {"pthread_sigmask", "sigwait", "sigwaitinfo",
                                               "sigtimedwait"};
static struct sg_method_patch patches[N_FUNCTIONS];
static _Atomic bool is_installed; /* false: the functions only pass through, if still called */

/* May the collection contain `signo`? Only collections whose iteration runs no code of the program
 * are read. */
static bool may_contain(PyObject *collection, int signo) {
    PyTypeObject *type = Py_TYPE(collection);
    bool is_found = false;
    if (type != &PySet_Type && type != &PyFrozenSet_Type && type != &PyList_Type &&
        type != &PyTuple_Type)
        return true;
    PyObject *numbers = PyObject_GetIter(collection), *number = NULL;
    while (numbers && !is_found && (number = PyIter_Next(numbers))) {
        is_found = !PyLong_Check(number) || PyLong_AsLong(number) == signo;
        Py_DecRef(number);
    }
    if (PyErr_Occurred())
        PyErr_Clear(); /* the function itself reports errors of its arguments */
    if (numbers)
        Py_DecRef(numbers);
    return is_found;
}

static bool is_blocked_here(int signo) {
    sigset_t now;
    return pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, signo) == 1;
}

/* No PyLong_CheckExact: signal.SIG_UNBLOCK is a member of an IntEnum. */
static bool is_unblocking(PyObject *how) {
    return PyLong_Check(how) && PyLong_AsLong(how) == SIG_UNBLOCK;
}

/* Called before the original function is called with `args`. Returns the sampler's signal if the
 * call concerns it, else 0. */
static int begin(int which, PyObject *const *args, Py_ssize_t n) {
    int signo = atomic_load(&is_installed) ? sg_thread_timers_signal() : 0;
    Py_ssize_t at = which == PTHREAD_SIGMASK;
    if (!signo || n <= at || !may_contain(args[at], signo))
        return 0;
    if (which != PTHREAD_SIGMASK || !is_unblocking(args[0]))
        sg_sampler_thread_request_outside();
    return signo;
}

static PyObject *end(int signo, PyObject *result) {
    if (signo && !is_blocked_here(signo))
        sg_sampler_thread_request_return();
    return result;
}

static PyObject *call_fast(int which, PyObject *self, PyObject *const *args, Py_ssize_t n) {
    int signo = begin(which, args, n);
    return end(signo, ((sg_fast_function *)(void *)patches[which].original)(self, args, n));
}

static PyObject *call_with_tuple(int which, PyObject *self, PyObject *args) {
    PyObject *items[2] = {NULL, NULL}; /* borrowed: the tuple's */
    Py_ssize_t n = PyTuple_Size(args);
    for (Py_ssize_t i = 0; i < n && i < 2; i++)
        items[i] = PyTuple_GetItem(args, i);
    int signo = begin(which, items, n < 2 ? n : 2);
    return end(signo, patches[which].original(self, args));
}

static PyObject *call_with_one(int which, PyObject *self, PyObject *argument) {
    int signo = begin(which, &argument, 1);
    return end(signo, patches[which].original(self, argument));
}

#define WRAPPERS(which)                                                                            \
    static PyObject *fast_##which(PyObject *self, PyObject *const *args, Py_ssize_t n) {           \
        return call_fast(which, self, args, n);                                                    \
    }                                                                                              \
    static PyObject *tuple_##which(PyObject *self, PyObject *args) {                               \
        return call_with_tuple(which, self, args);                                                 \
    }                                                                                              \
    static PyObject *one_##which(PyObject *self, PyObject *argument) {                             \
        return call_with_one(which, self, argument);                                               \
    }
#define CONVENTIONS(which)                                                                         \
    {                                                                                              \
        .varargs = tuple_##which, .fast = (PyCFunction)(void *)fast_##which,                       \
        .one_argument = one_##which,                                                               \
    }

WRAPPERS(PTHREAD_SIGMASK)
WRAPPERS(SIGWAIT)
WRAPPERS(SIGWAITINFO)
WRAPPERS(SIGTIMEDWAIT)

static const struct sg_by_convention BY_CONVENTION[N_FUNCTIONS] = {
    CONVENTIONS(PTHREAD_SIGMASK),
    CONVENTIONS(SIGWAIT),
    CONVENTIONS(SIGWAITINFO),
    CONVENTIONS(SIGTIMEDWAIT),
};

int sg_mask_hooks_install(void) {
    int outcome = 0;
    for (int i = 0; i < N_FUNCTIONS && outcome >= 0; i++)
        outcome = sg_method_patch_apply(&patches[i], "_signal", NAMES[i], &BY_CONVENTION[i]);
    if (outcome < 0) {
        sg_mask_hooks_remove();
        return -1;
    }
    atomic_store(&is_installed, true);
    return 0;
}

void sg_mask_hooks_remove(void) {
    atomic_store(&is_installed, false);
    for (int i = 0; i < N_FUNCTIONS; i++)
        sg_method_patch_restore(&patches[i]);
}
