/* The callback is a C function. If the program has not imported atexit, a module object is made by
 * the importer's own functions, without an entry in sys.modules, and kept for ever. */
#include "worker/exit_hook.h"

#include <Python.h>

#include <stdbool.h>

#include "interpreter/python_text.h"

/* Guarded by the GIL. */
static PyObject *made;     /* atexit module that make_atexit has made; owned, never freed */
static PyObject *module;   /* atexit module with the registration; owned while registered */
static PyObject *callback; /* owned while registered */
static bool is_wanted;     /* false = the callback does nothing */

static void (*call_at_exit)(void); /* written before the engine starts its threads */

static PyObject *on_exit_of_python(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    if (is_wanted) {
        PyThreadState *state = PyEval_SaveThread();
        call_at_exit();
        PyEval_RestoreThread(state);
    }
    Py_RETURN_NONE;
}

static PyMethodDef ON_EXIT = {"stackglass_exit", on_exit_of_python, METH_NOARGS, NULL};

static PyObject *call_importer(const char *function, PyObject *argument) {
    PyObject *callable = sg_python_text_global("_imp", function); /* borrowed */
    return callable ? PyObject_CallFunctionObjArgs(callable, argument, NULL) : NULL;
}

/* Return an atexit module for a program that has not imported it, made without sys.modules; a new
 * reference, or NULL.
 *
 * Up to 3.9 the interpreter keeps a borrowed pointer to the newest atexit module, so this one is
 * never freed. If the program imports atexit later, the interpreter drops this module; then the
 * engine library's destructor notices the exit. */
static PyObject *make_atexit(void) {
    if (made) {
        Py_INCREF(made);
        return made;
    }
    PyObject *spec = PyModule_New("atexit"); /* stands for a spec: only its name is read */
    PyObject *key = PyUnicode_InternFromString("name"); /* as python_text.c says */
    PyObject *name = PyUnicode_FromString("atexit");
    if (spec && key && name && !PyObject_SetAttr(spec, key, name))
        made = call_importer("create_builtin", spec);
    Py_XDECREF(name);
    Py_XDECREF(key);
    Py_XDECREF(spec);
    PyObject *done = made ? call_importer("exec_builtin", made) : NULL;
    if (!done)
        Py_CLEAR(made);
    Py_XDECREF(done);
    Py_XINCREF(made);
    return made;
}

static PyObject *find_atexit(void) {
    PyObject *modules = PyImport_GetModuleDict();               /* borrowed from the interpreter */
    PyObject *loaded = PyDict_GetItemString(modules, "atexit"); /* borrowed from `modules` */
    Py_XINCREF(loaded);
    return loaded ? loaded : make_atexit();
}

static bool call(const char *method) {
    PyObject *callable = sg_python_text_attribute(module, method);
    PyObject *result = callable ? PyObject_CallFunctionObjArgs(callable, callback, NULL) : NULL;
    Py_XDECREF(result);
    Py_XDECREF(callable);
    if (!result)
        PyErr_Clear();
    return result != NULL;
}

int sg_exit_hook(void) {
    if (callback) { /* a forked child, which inherited the registration */
        is_wanted = true;
        return 0;
    }
    module = find_atexit();
    callback = module ? PyCFunction_New(&ON_EXIT, NULL) : NULL;
    if (callback && call("register")) {
        is_wanted = true;
        return 0;
    }
    Py_CLEAR(callback);
    Py_CLEAR(module);
    PyErr_Clear();
    return -1;
}

void sg_exit_hook_unhook(void) {
    is_wanted = false;
    if (callback)
        call("unregister");
    Py_CLEAR(callback);
    Py_CLEAR(module);
}

void sg_exit_hook_call(void (*at_exit)(void)) { call_at_exit = at_exit; }

void sg_exit_hook_forget(void) { is_wanted = false; }
