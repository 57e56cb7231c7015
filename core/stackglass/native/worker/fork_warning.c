/* Fork warning: a warnings filter for the duration of os.fork(). See fork_warning.h. */
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
#include "platform/engine_threads.h"

enum { FIRST_MINOR_THAT_WARNS = 12 };
enum { FORK, FORK1, FORKPTY, N_FORKS };

/* Guarded by the GIL. */
static struct sg_method_patch patches[N_FORKS];
static _Atomic bool is_hooked; /* false = calls only pass through */

static bool has_no_thread_but_one(void) {
    struct stat task; /* links of the folder: ., .., and each thread's */
    /* The call itself: glibc's stat is of 2.33. */
    return !syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &task, 0) &&
           (long)task.st_nlink - 2 - sg_engine_threads_count() == 1;
}

/* The list of filters that the interpreter reads; new reference, or NULL. */
static PyObject *find_filters(void) {
    PyObject *names = sg_python_text_module_names("warnings"); /* borrowed: the module's */
    if (!names)
        names = sg_python_text_module_names("_warnings");
    PyObject *filters =
        names ? PyDict_GetItemString(names, "filters") : NULL; /* borrowed: names' */
    if (!filters || !PyList_Check(filters))
        return NULL;
    Py_INCREF(filters);
    return filters;
}

/* Removes this filter, wherever it is in the list by now. */
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

void sg_fork_warning_hook(void) {
    if (sg_python_symbols.minor < FIRST_MINOR_THAT_WARNS || atomic_load(&is_hooked))
        return;
    for (int i = 0; i < N_FORKS; i++) {
        const struct sg_by_convention by_convention = {.no_arguments = FORKS[i].cover};
        sg_method_patch_apply(&patches[i], "posix", FORKS[i].name, &by_convention);
    }
    atomic_store(&is_hooked, true);
}

void sg_fork_warning_unhook(void) {
    if (!atomic_exchange(&is_hooked, false))
        return;
    for (int i = 0; i < N_FORKS; i++)
        sg_method_patch_restore(&patches[i]);
}
