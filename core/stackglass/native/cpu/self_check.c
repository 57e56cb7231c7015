/* Self-check with a few known Python frames. */
#include "cpu/self_check.h"

#include <Python.h>

#include <stdio.h>

#include "cpu/snapshot.h"
#include "interpreter/probe_code.h"

/* Calls on several lines, through a function, a generator and a comprehension: each kind of frame
 * is stored elsewhere. */
static const char SOURCE[] = "def outer(check):\n"
                             "    def inner():\n"
                             "        yield (\n"
                             "            check()\n"
                             "        )\n"
                             "    return [\n"
                             "        one\n"
                             "        for one in inner()\n"
                             "    ]\n"
                             "outer(check)\n";

/* Guarded by the GIL. */
static char difference[240];
static bool has_run;

static PyObject *check(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    const char *found = sg_snapshot_self_check();
    if (found)
        snprintf(difference, sizeof difference, "the self-check failed: %s", found);
    has_run = true;
    Py_RETURN_NONE;
}

static PyMethodDef CHECK = {"check", check, METH_NOARGS, NULL}; /* constant */

const char *sg_self_check(void) {
    PyObject *names = PyDict_New();
    difference[0] = '\0';
    has_run = false;
    const char *problem =
        names ? sg_probe_code_run(SOURCE, &CHECK, names) : "there is no memory for it";
    sg_probe_code_forget(names);
    if (problem) {
        snprintf(difference, sizeof difference, "the self-check could not run: %s", problem);
        return difference;
    }
    if (difference[0])
        return difference;
    return has_run ? NULL : "the self-check did not reach its checkpoint";
}
