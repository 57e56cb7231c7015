/* Region block: the type behind `with stackglass.region(…)`, in C so that it costs next to nothing
 * while no trace is recorded. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

#include "bindings/method_tables.h"
#include "interpreter/python_symbols.h"
#include "trace/trace.h"

struct region {
    PyObject_HEAD
    PyObject *name;  /* str; owned */
    uint64_t number; /* number of the trace's event that begins the region; 0 = none */
    int is_entered;
};

static PyObject *make_region(PyTypeObject *type, PyObject *args, PyObject *named) {
    PyObject *name = NULL;
    if (PyTuple_Size(args) == 1 && (!named || !PyDict_Size(named)))
        name = PyTuple_GetItem(args, 0); /* borrowed */
    if (!name || !PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "a region has a name: region(\"parse\")");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct region *region = (struct region *)allocate(type, 0);
    if (!region)
        return NULL;
    Py_INCREF(name);
    region->name = name;
    region->number = 0;
    region->is_entered = 0;
    return (PyObject *)region;
}

static void dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_CLEAR(((struct region *)self)->name);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF((PyObject *)type);
}

/* PyUnicode_AsUTF8AndSize, which is in CPython's limited API only from 3.10 on. Written when a type
 * is made, with the GIL held, always with the same value. */
static const char *(*read_utf8)(PyObject *text, Py_ssize_t *size);

/* Return the name as UTF-8; the str owns the text. Returns NULL if the name has no UTF-8: then
 * nothing is recorded. */
static const char *read_name(const struct region *region) {
    const char *text = read_utf8(region->name, NULL);
    if (!text)
        PyErr_Clear();
    return text;
}

static PyObject *enter(PyObject *self, PyObject *unused) {
    struct region *region = (struct region *)self;
    if (region->is_entered) {
        PyErr_SetString(PyExc_RuntimeError,
                        "this region is in use already: make a new one for each block");
        return NULL;
    }
    region->is_entered = 1;
    const char *text = sg_trace_is_recording() ? read_name(region) : NULL;
    if (text)
        region->number = sg_trace_region_begin(text);
    Py_RETURN_NONE;
}

static PyObject *leave(PyObject *self, PyObject *args) {
    struct region *region = (struct region *)self;
    uint64_t number = region->number;
    region->number = 0;
    region->is_entered = 0;
    if (number)
        sg_trace_region_end(read_name(region), number);
    Py_RETURN_NONE;
}

/* Return the name of the type's attribute with the decorator, interned for the reason that
 * python_text.c gives. */
static PyObject *make_key(void) { return PyUnicode_InternFromString("_decorate"); }

static PyObject *call_region(PyObject *self, PyObject *args, PyObject *named) {
    PyObject *function, *decorated;
    if (named && PyDict_Size(named)) {
        PyErr_SetString(PyExc_TypeError, "a region decorates one function");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "O", &function))
        return NULL;
    PyObject *key = make_key();
    PyObject *decorate = key ? PyObject_GetAttr((PyObject *)Py_TYPE(self), key) : NULL;
    Py_XDECREF(key);
    if (!decorate)
        return NULL;
    decorated =
        PyObject_CallFunctionObjArgs(decorate, ((struct region *)self)->name, function, NULL);
    Py_DECREF(decorate);
    return decorated;
}

/* Never changed; not const, because the API takes pointers to non-const tables. */
static PyMethodDef methods[] = {
    {"__enter__", enter, METH_NOARGS, "Begin the region in this thread."},
    {"__exit__", leave, METH_VARARGS, "End the region."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_doc,
     "A block of code, or a function, that a memory trace or a flight recorder shows by\n"
     "its name in the lane of its thread: region(\"parse\").\n"
     "\n"
     "Regions may be nested. The time of a region across an await includes the time for\n"
     "which its task waits. An object is for one block at a time. Decorating a generator\n"
     "function raises TypeError."},
    {Py_tp_new, make_region},
    {Py_tp_dealloc, dealloc},
    {Py_tp_call, call_region},
    {Py_tp_methods, methods},
    {0, NULL},
};
static PyType_Spec specification = {
    .name = "stackglass.region",
    .basicsize = sizeof(struct region),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

static PyObject *make_type(PyObject *module, PyObject *decorate) {
    if (!sg_python_symbols_look_up("PyUnicode_AsUTF8AndSize", &read_utf8)) {
        PyErr_SetString(PyExc_ImportError, "this interpreter has no PyUnicode_AsUTF8AndSize");
        return NULL;
    }
    PyObject *type = PyType_FromSpec(&specification);
    PyObject *key = type ? make_key() : NULL;
    if (!key || PyObject_SetAttr(type, key, decorate))
        Py_CLEAR(type);
    Py_XDECREF(key);
    return type;
}

PyMethodDef sg_region_block_bindings[] = {
    {"make_region_block", make_type, METH_O,
     "make_region_block(decorate): return the type of regions."},
    {NULL, NULL, 0, NULL},
};
