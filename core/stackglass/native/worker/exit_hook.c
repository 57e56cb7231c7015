/* The callback is a C function. Once registered, it stays, because atexit.unregister compares it
 * with all registered callbacks and so may run an `__eq__` of the program; while the engine is not
 * there, the callback does nothing. If the program has not imported atexit, a module object is made
 * by the importer's own functions, without an entry in sys.modules, and kept for ever. */
#include "worker/exit_hook.h"

#include <Python.h>

#include <stdbool.h>

#include "interpreter/python_text.h"

/* Guarded by the GIL. */
static PyObject *made;     /* atexit module that make_atexit has made; owned, never freed */
static PyObject *module;   /* atexit module with the registration; owned once registered */
static PyObject *callback; /* owned once registered */
static bool is_wanted;     /* false = the callback does nothing */

static void (*call_at_exit)(void); /* written before the engine starts its threads */

static PyObject *on_exit_of_python(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    if (is_wanted) {
        is_wanted = false; /* it may be registered twice */
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

static bool register_callback(void) {
    PyObject *function = sg_python_text_attribute(module, "register");
    PyObject *result = function ? PyObject_CallFunctionObjArgs(function, callback, NULL) : NULL;
    Py_XDECREF(result);
    Py_XDECREF(function);
    return result;
}

/* Whether the callback is registered with the present atexit module. The program may have dropped
 * all callbacks, as a child of multiprocessing does: then only this file refers to this one. Up to
 * 3.9 a program that imports atexit drops the module that make_atexit has made. */
static bool is_registered(const PyObject *present) {
    return callback && present == module && Py_REFCNT(callback) > 1;
}

int sg_exit_hook(void) {
    PyObject *present = find_atexit();
    is_wanted = is_registered(present);
    if (is_wanted || !present) {
        Py_XDECREF(present);
        PyErr_Clear();
        return is_wanted ? 0 : -1;
    }
    Py_XDECREF(module);
    module = present;
    if (!callback)
        callback = PyCFunction_New(&ON_EXIT, NULL);
    is_wanted = callback && register_callback();
    PyErr_Clear();
    return is_wanted ? 0 : -1;
}

void sg_exit_hook_call(void (*at_exit)(void)) { call_at_exit = at_exit; }

void sg_exit_hook_disable(void) { is_wanted = false; }
