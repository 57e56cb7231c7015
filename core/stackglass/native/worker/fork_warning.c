/* There are three methods, depending on when a fork comes:
 *
 *     threads start, no hook yet   after_fork: a filter for os.fork's text, until a later job
 *     hooked                       cover_…: a filter for as long as the call lasts
 *     unhooked, threads end        before_fork: wait for them, half a second at most
 *
 * They are used only if the program has one thread of its own. The interpreter warns after fork()
 * has returned, so a pthread_atfork handler runs before the warning. A filter is put at the head of
 * the list in force, and later found by identity and removed. */
#include "worker/fork_warning.h"

#include <Python.h>

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpreter/method_patch.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "platform/engine_thread.h"
#include "platform/engine_threads.h"
#include "platform/futex.h"
#include "platform/time.h"

enum {
    FIRST_MINOR_THAT_WARNS = 12,
    LEAVING_NS = 500 * 1000 * 1000, /* longest wait of a fork for engine threads that end */
    POLL_NS = 50 * 1000,            /* interval of checks during that wait */
};
enum { FORK, FORK1, FORKPTY, N_FORKS };

/* Guarded by the GIL. */
static struct sg_method_patch patches[N_FORKS];
static PyObject *kept_filters, *kept_filter; /* for a fork before the hook; owned; NULL = none */

/* Lock-free. */
static _Atomic bool is_hooked; /* false = calls only pass through */
static _Atomic bool is_coming; /* engine threads start, and the hook is not installed yet */

static int count_engine_threads(void) {
    int n = sg_engine_threads_existing();
    return n ? n : sg_engine_thread_first_exists(); /* the first engine thread is just ending */
}

/* Return whether the program has only one thread. Engine threads may end between the two counts, so
 * they are counted first. If more engine threads are counted afterwards, some began in between, and
 * the count is repeated. */
static bool has_no_thread_but_one(void) {
    int n_engine, n_before;
    struct stat task; /* links of the folder: ., .., and one for each thread */
    do {
        n_before = count_engine_threads();
        /* The system call is used because libraries before glibc 2.33 have no symbol `stat`. */
        if (syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &task, 0))
            return false;
        n_engine = count_engine_threads();
    } while (n_engine > n_before);
    return (long)task.st_nlink - 2 - n_before <= 1;
}

static bool does_warn(void) { return sg_python_symbols_running_minor() >= FIRST_MINOR_THAT_WARNS; }

/* Return whether the calling thread holds the GIL: from 3.12 on, only then it has a current
 * state. */
static bool holds_gil(void) {
    typedef PyThreadState *current_fn(void);
    current_fn *current;
    return (sg_python_symbols_look_up("PyThreadState_GetUnchecked", &current) || /* 3.13 */
            sg_python_symbols_look_up("_PyThreadState_UncheckedGet", &current)) &&
           current();
}

/* Return the list of filters that the interpreter reads; a new reference, or NULL. */
static PyObject *find_filters(void) {
    bool is_loaded = sg_python_text_module_names("warnings");
    PyObject *filters = sg_python_text_global(is_loaded ? "warnings" : "_warnings", "filters");
    if (!filters || !PyList_Check(filters))
        return NULL;
    Py_INCREF(filters);
    return filters;
}

/* Remove this filter, wherever it is in the list. */
static void remove_filter(PyObject *filters, const PyObject *filter) {
    for (Py_ssize_t i = 0; i < PyList_Size(filters); i++)
        if (PyList_GetItem(filters, i) == filter) {
            if (PyList_SetSlice(filters, i, i + 1, NULL))
                PyErr_Clear();
            return;
        }
}

static PyObject *fork_quietly(PyCFunction fork_, PyObject *self, PyObject *unused) {
    bool is_quiet = atomic_load(&is_hooked) && has_no_thread_but_one();
    PyObject *filters = is_quiet ? find_filters() : NULL;
    PyObject *filter =
        filters ? Py_BuildValue("(sOOOi)", "ignore", Py_None, PyExc_DeprecationWarning, Py_None, 0)
                : NULL;
    if (!filter || PyList_Insert(filters, 0, filter))
        PyErr_Clear();
    PyObject *result = fork_(self, unused); /* returns twice: parent and child remove the filter */
    if (filter) {
        PyObject *kind, *error, *trace;
        PyErr_Fetch(&kind, &error, &trace);
        remove_filter(filters, filter);
        PyErr_Restore(kind, error, trace);
    }
    Py_XDECREF(filter);
    Py_XDECREF(filters);
    return result;
}

static PyObject *cover_fork(PyObject *self, PyObject *unused) {
    return fork_quietly(patches[FORK].original, self, unused);
}

static PyObject *cover_fork1(PyObject *self, PyObject *unused) {
    return fork_quietly(patches[FORK1].original, self, unused);
}

static PyObject *cover_forkpty(PyObject *self, PyObject *unused) {
    return fork_quietly(patches[FORKPTY].original, self, unused);
}

static const struct {
    const char *name;
    PyCFunction cover;
} FORKS[N_FORKS] = {{"fork", cover_fork}, {"fork1", cover_fork1}, {"forkpty", cover_forkpty}};

/* Remove the kept filter from its list, and from the list in force, into which
 * warnings.catch_warnings may have copied it. */
static void drop_kept_filter(void) {
    PyObject *filters = kept_filter ? find_filters() : NULL;
    if (kept_filter)
        remove_filter(kept_filters, kept_filter);
    if (filters)
        remove_filter(filters, kept_filter);
    Py_XDECREF(filters);
    Py_CLEAR(kept_filter);
    Py_CLEAR(kept_filters);
}

/* Return whether the kept filter is the first in the list in force. If not, another filter applies
 * before it. */
static bool is_kept_in_force(void) {
    PyObject *filters = kept_filter ? find_filters() : NULL;
    bool is_first =
        filters && PyList_Size(filters) && PyList_GetItem(filters, 0) == kept_filter; /* borrowed */
    Py_XDECREF(filters);
    return is_first;
}

/* Add a filter for the warning of the running call. A plain text is compared exactly, so the filter
 * hides nothing else while it is kept. */
static void keep_filter(void) {
    PyObject *text = PyUnicode_FromFormat("This process (pid=%d) is multi-threaded, use of fork() "
                                          "may lead to deadlocks in the child.",
                                          (int)getpid());
    kept_filters = find_filters();
    kept_filter = text && kept_filters ? Py_BuildValue("(sOOOi)", "ignore", text,
                                                       PyExc_DeprecationWarning, Py_None, 0)
                                       : NULL;
    Py_XDECREF(text);
    if (!kept_filter || PyList_Insert(kept_filters, 0, kept_filter)) {
        PyErr_Clear();
        Py_CLEAR(kept_filter);
        Py_CLEAR(kept_filters);
    }
}

void sg_fork_warning_open(void) { atomic_store(&is_coming, true); }

void sg_fork_warning_before_fork(void) {
    if (atomic_load(&is_hooked) || atomic_load(&is_coming) || !does_warn())
        return;
    int64_t end_ns = sg_time_mono_ns() + LEAVING_NS;
    while (count_engine_threads() && has_no_thread_but_one() && sg_time_mono_ns() < end_ns)
        sg_futex_sleep_ns(POLL_NS);
}

void sg_fork_warning_after_fork(void) {
    if (!atomic_load(&is_coming) || !does_warn() || !holds_gil())
        return;
    if (is_kept_in_force() || !has_no_thread_but_one())
        return;
    drop_kept_filter();
    keep_filter();
}

void sg_fork_warning_maintain(void) { drop_kept_filter(); }

void sg_fork_warning_hook(void) {
    if (sg_python_symbols.minor < FIRST_MINOR_THAT_WARNS || atomic_load(&is_hooked))
        return;
    for (int i = 0; i < N_FORKS; i++) {
        const struct sg_by_convention by_convention = {.no_arguments = FORKS[i].cover};
        sg_method_patch_apply(&patches[i], "posix", FORKS[i].name, &by_convention);
    }
    atomic_store(&is_hooked, true);
    atomic_store(&is_coming, false);
}

static void restore(void) {
    atomic_store(&is_coming, false);
    if (!atomic_exchange(&is_hooked, false))
        return;
    for (int i = 0; i < N_FORKS; i++)
        sg_method_patch_restore(&patches[i]);
}

void sg_fork_warning_unhook(void) {
    drop_kept_filter();
    restore();
}

void sg_fork_warning_after_fork_in_child(void) {
    if (kept_filter && holds_gil())
        drop_kept_filter();
    kept_filter = kept_filters = NULL; /* C code has forked without the GIL: the filter stays */
    restore();
}
