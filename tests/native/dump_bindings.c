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
        sg_values_append(&list, sg_values_text(job->codes[i].info.name));
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
        sg_code_info_free(&job.codes[i].info);
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

static PyObject *describe_thread(const struct sg_thread_dump *dump,
                                 const struct sg_dumped_thread *row) {
    return Py_BuildValue("(iIIsK)", row->tid, row->interpreter, row->depth,
                         row->name ? dump->texts.at + row->name : "",
                         (unsigned long long)row->lock);
}

static PyObject *dump_threads(PyObject *self, PyObject *args) {
    long long budget_ns;
    PyObject *between, *list = PyList_New(0), *result = Py_None;
    if (!list || !PyArg_ParseTuple(args, "LO", &budget_ns, &between))
        return NULL;
    sg_thread_dump_begin(false);
    while (result && !sg_thread_dump_continue(budget_ns)) {
        result = PyObject_CallFunctionObjArgs(between, NULL);
        Py_XDECREF(result);
    }
    const struct sg_thread_dump *dump = sg_thread_dump_current();
    for (size_t i = 0; result && i < dump->threads.n; i++)
        sg_values_append(&list, describe_thread(dump, &dump->threads.at[i]));
    sg_thread_dump_end();
    if (!result)
        Py_CLEAR(list);
    return list;
}

/* A row of a task: its name, and whether it is leaked. */
static PyObject *describe_task(const struct sg_thread_dump *dump,
                               const struct sg_dumped_task *row) {
    PyObject *is_leaked = PyBool_FromLong(row->is_leaked);
    PyObject *pair =
        row->number ? Py_BuildValue("(LO)", (long long)row->number, is_leaked)
                    : Py_BuildValue("(sO)", row->name ? dump->texts.at + row->name : "", is_leaked);
    Py_XDECREF(is_leaked);
    return pair;
}

static PyObject *dump_leaks(PyObject *self, PyObject *args) {
    long long budget_ns;
    PyObject *between, *list = PyList_New(0), *result = Py_None;
    if (!list || !PyArg_ParseTuple(args, "LO", &budget_ns, &between))
        return NULL;
    sg_thread_dump_begin(true);
    while (result && !sg_thread_dump_continue(budget_ns)) {
        result = PyObject_CallFunctionObjArgs(between, NULL);
        Py_XDECREF(result);
    }
    const struct sg_thread_dump *dump = sg_thread_dump_current();
    for (size_t i = 0; result && i < dump->tasks.n; i++)
        sg_values_append(&list, describe_task(dump, &dump->tasks.at[i]));
    if (result && dump->leak_problem) {
        PyErr_SetString(PyExc_RuntimeError, dump->leak_problem);
        result = NULL;
    }
    sg_thread_dump_end();
    if (!result)
        Py_CLEAR(list);
    return list;
}

PyMethodDef sg_dump_bindings[] = {
    {"dump_interpreters", dump_interpreters, METH_NOARGS, "The interpreter of each thread."},
    {"dump_leaks", dump_leaks, METH_VARARGS,
     "(budget_ns, between): name or number of each task, and whether it is leaked; `between` is\n"
     "called between two slices."},
    {"dump_threads", dump_threads, METH_VARARGS,
     "(budget_ns, between): tid, interpreter, depth, name and lock of each row."},
    {"dump_names", dump_names, METH_VARARGS, "Names that a dump's job brings along."},
    {NULL, NULL, 0, NULL},
};
