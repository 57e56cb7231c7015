/* Jobs of the GIL worker on the calling thread, and its callback at the exit, for tests. */
#include "tables.h"

#include <stdlib.h>

#include "values.h"
#include "worker/exit_hook.h"
#include "worker/gil_jobs.h"

static PyObject *run_collection(PyObject *self, PyObject *unused) {
    struct sg_paths paths = {0};
    struct sg_job *job = calloc(1, sizeof *job);
    if (!job)
        return PyErr_NoMemory();
    job->kind = SG_JOB_COLLECT;
    sg_gil_jobs_run(job, &paths);
    free(job);
    return PyErr_Occurred() ? NULL : sg_values_none();
}

static PyObject *enable_exit_hook(PyObject *self, PyObject *unused) {
    return PyBool_FromLong(!sg_exit_hook());
}

static PyObject *disable_exit_hook(PyObject *self, PyObject *unused) {
    sg_exit_hook_disable();
    return sg_values_none();
}

PyMethodDef sg_job_bindings[] = {
    {"run_collection", run_collection, METH_NOARGS, "see _core_testing.pyi"},
    {"enable_exit_hook", enable_exit_hook, METH_NOARGS, "see _core_testing.pyi"},
    {"disable_exit_hook", disable_exit_hook, METH_NOARGS, "see _core_testing.pyi"},
    {NULL, NULL, 0, NULL},
};
