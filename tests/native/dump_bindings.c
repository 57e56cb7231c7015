/* A dump of threads and tasks, for tests. */
#define PY_SSIZE_T_CLEAN
#include "tables.h"

#include <string.h>

#include "frames/module_names.h"
#include "interpreter/python_symbols.h"
#include "threads/thread_dump.h"
#include "values.h"
#include "worker/gil_jobs.h"

static PyObject *list_names(const struct sg_job *job) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < job->n_codes; i++)
        sg_values_append(&list, sg_values_text(job->codes[i].facts.name));
    return list;
}

static PyObject *dump_names(PyObject *self, PyObject *args) {
    static struct sg_job job; /* too large for a stack; guarded by the GIL */
    struct sg_paths paths = {0};
    int wants_names;
    if (!PyArg_ParseTuple(args, "p", &wants_names))
        return NULL;
    memset(&job, 0, sizeof job);
    job.kind = SG_JOB_DUMP;
    job.wants_names = wants_names;
    job.interpreter.minor = sg_python_symbols_running_minor();
    sg_thread_dump_begin(false);
    sg_gil_jobs_run(&job, &paths);
    sg_thread_dump_end();
    PyObject *list = list_names(&job);
    for (size_t i = 0; i < job.n_codes; i++)
        sg_code_info_free(&job.codes[i].facts);
    sg_module_names_free(&paths);
    return list;
}

static PyObject *dump_interpreters(PyObject *self, PyObject *args) {
    PyObject *of_threads = PyDict_New();
    sg_thread_dump_begin(false);
    while (!sg_thread_dump_continue(INT64_MAX / 2))
        continue;
    const struct sg_thread_dump *dump = sg_thread_dump_current();
    for (size_t i = 0; of_threads && i < dump->threads.n; i++) {
        PyObject *tid = PyLong_FromLong(dump->threads.at[i].tid);
        PyObject *interpreter = PyLong_FromUnsignedLong(dump->threads.at[i].interpreter);
        if (!tid || !interpreter || PyDict_SetItem(of_threads, tid, interpreter))
            Py_CLEAR(of_threads);
        Py_XDECREF(tid);
        Py_XDECREF(interpreter);
    }
    sg_thread_dump_end();
    return of_threads;
}

PyMethodDef sg_dump_bindings[] = {
    {"dump_interpreters", dump_interpreters, METH_NOARGS, "The interpreter of each thread."},
    {"dump_names", dump_names, METH_VARARGS, "Names that a dump's job brings along."},
    {NULL, NULL, 0, NULL},
};
