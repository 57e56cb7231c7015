/* The interpreter's own function sys._clear_internal_caches discards the traces. */
#include "interpreter/jit_traces.h"

#include <Python.h>

#include <stdbool.h>

#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"

enum { FIRST_THAT_KEEPS_POINTERS = 15 };

static bool is_enabled(void) {
    PyObject *jit = PySys_GetObject("_jit"); /* borrowed from sys */
    PyObject *answer = jit ? sg_python_text_call(jit, "is_enabled") : NULL;
    Py_XDECREF(answer);
    return answer == Py_True;
}

void sg_jit_traces_forget(void) {
    if (sg_python_symbols.minor < FIRST_THAT_KEEPS_POINTERS)
        return;
    PyObject *clear =
        is_enabled() ? PySys_GetObject("_clear_internal_caches") : NULL; /* borrowed */
    PyObject *result = clear ? PyObject_CallObject(clear, NULL) : NULL;
    Py_XDECREF(result);
    PyErr_Clear();
}
