/* Facts are copied as text from sys, from multiprocessing's or billiard's current process, and from
 * threading's dictionary of threads. All attributes are read without calling code of the
 * program. */
#include "worker/program_facts.h"

#include <Python.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "interpreter/thread_objects.h"
#include "platform/vector.h"

/* ---- The interpreter ---- */

static char *copy_or_empty(PyObject *text) {
    char *copy = sg_python_text_copy(text);
    return copy ? copy : strdup("");
}

static void learn_arguments(struct sg_interpreter *interpreter) {
    PyObject *argv = PySys_GetObject("argv"); /* borrowed from sys */
    Py_ssize_t n = argv && PyList_Check(argv) ? PyList_Size(argv) : 0;
    interpreter->argv = calloc((size_t)n + 1, sizeof *interpreter->argv);
    for (Py_ssize_t i = 0; interpreter->argv && i < n; i++) {
        char *text = copy_or_empty(PyList_GetItem(argv, i));
        if (text)
            interpreter->argv[interpreter->n_argv++] = text;
    }
}

/* multiprocessing and billiard give their children a name; the parent process has none. */
char *sg_program_facts_find_process_name(void) {
    static const char *const LIBRARIES[] = {"billiard.process", "multiprocessing.process"};
    for (size_t i = 0; i < sizeof LIBRARIES / sizeof *LIBRARIES; i++) {
        PyObject *process = sg_python_text_global(LIBRARIES[i], "_current_process"); /* borrowed */
        PyObject *name = process ? sg_python_text_plain_attribute(process, "_name") : NULL;
        char *text = sg_python_text_copy(name);
        Py_XDECREF(name);
        if (text && strcmp(text, "MainProcess") != 0)
            return text;
        free(text);
    }
    return strdup("");
}

void sg_program_facts_learn(struct sg_interpreter *interpreter) {
    interpreter->minor = sg_python_symbols_running_minor();
    interpreter->version = strndup(Py_GetVersion(), strcspn(Py_GetVersion(), " "));
    interpreter->executable = copy_or_empty(PySys_GetObject("executable"));
    learn_arguments(interpreter);
    interpreter->process_name = sg_program_facts_find_process_name();
}

/* ---- Threads ---- */

/* Return whether the job has a name for this thread. gevent and eventlet list greenlets as threads;
 * all of them run on a thread that has a name. */
static bool has_name(const struct sg_job *job, pid_t tid) {
    for (size_t i = 0; i < job->thread_names.n; i++)
        if (job->thread_names.at[i].tid == tid)
            return true;
    return false;
}

static void add_thread_name(struct sg_job *job, PyObject *thread, PyObject *tid_key,
                            PyObject *name_key) {
    PyObject *tid = sg_python_text_stored_attribute(thread, tid_key);
    PyObject *name = sg_python_text_stored_attribute(thread, name_key);
    long number = tid && PyLong_Check(tid) ? PyLong_AsLong(tid) : 0;
    if (number != getpid() && sg_thread_objects_is_first(thread))
        number = getpid();
    /* The main thread is listed first, and no other thread has its number. */
    bool is_greenlet = number == getpid() && has_name(job, (pid_t)number);
    char *text = number > 0 && !is_greenlet ? sg_python_text_copy(name) : NULL;
    if (!text || !SG_ROWS_ADD(&job->thread_names, (struct sg_thread_name){(pid_t)number, text}))
        free(text);
    Py_XDECREF(name);
    Py_XDECREF(tid);
    PyErr_Clear();
}

void sg_program_facts_learn_threads(struct sg_job *job) {
    PyObject *active = sg_python_text_global("threading", "_active"); /* borrowed */
    PyObject *ident, *thread; /* borrowed from the dictionary */
    Py_ssize_t at = 0;
    PyObject *tid_key = PyUnicode_InternFromString("_native_id");
    PyObject *name_key = PyUnicode_InternFromString("_name");
    while (active && PyDict_Check(active) && PyDict_Next(active, &at, &ident, &thread))
        add_thread_name(job, thread, tid_key, name_key);
    Py_XDECREF(tid_key);
    Py_XDECREF(name_key);
    PyErr_Clear();
}
