/* Compiles the source and evaluates it in a dictionary of its own. */
#include "interpreter/probe_code.h"

#include <stdbool.h>

const char *sg_probe_code_run(const char *source, PyMethodDef *look, PyObject *names) {
    PyObject *function = PyCFunction_New(look, NULL), *result = NULL;
    PyObject *code = Py_CompileString(source, "<stackglass>", Py_file_input);
    if (function && code && !PyDict_SetItemString(names, look->ml_name, function))
        result = PyEval_EvalCode(code, names, names);
    bool is_memory_short = !result && PyErr_ExceptionMatches(PyExc_MemoryError);
    const char *problem = result            ? NULL
                          : is_memory_short ? "there is no memory for it"
                                            : "it has raised an exception";
    PyErr_Clear();
    Py_XDECREF(result);
    Py_XDECREF(code);
    Py_XDECREF(function);
    return problem;
}

void sg_probe_code_forget(PyObject *names) {
    PyErr_Clear();
    if (names)
        PyDict_Clear(names);
    Py_XDECREF(names);
}
