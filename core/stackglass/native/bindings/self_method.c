/* A descriptor. It knows the method that it replaces. */
#include "bindings/self_method.h"

struct self_method {
    PyObject_HEAD
    PyObject *owner; /* the type that has it; owned */
    PyObject *plain; /* the method of that type; owned */
};

static PyObject *get(PyObject *self, PyObject *object, PyObject *type) {
    const struct self_method *method = (struct self_method *)self;
    PyObject *found = object ? object : method->plain;
    if (object && (PyObject *)Py_TYPE(object) != method->owner) {
        PyErr_SetString(PyExc_TypeError, "this method is for objects of another type");
        return NULL;
    }
    if (object)
        ((struct sg_self_bound *)object)->is_bound = true;
    Py_INCREF(found);
    return found;
}

/* Without this, a call of the type would make a method without a type and a function. */
static PyObject *refuse(PyTypeObject *type, PyObject *args, PyObject *named) {
    PyErr_SetString(PyExc_TypeError, "self methods are made with their type");
    return NULL;
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
    struct self_method *method = (struct self_method *)self;
    Py_VISIT(method->owner);
    Py_VISIT(method->plain);
    Py_VISIT((PyObject *)Py_TYPE(self));
    return 0;
}

static int clear(PyObject *self) {
    struct self_method *method = (struct self_method *)self;
    Py_CLEAR(method->owner);
    Py_CLEAR(method->plain);
    return 0;
}

static void dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear(self);
    PyObject_GC_Del(self);
    Py_DECREF((PyObject *)type);
}

/* Never changed; not const, because the API takes pointers to non-const tables. */
static PyType_Slot slots[] = {
    {Py_tp_new, refuse},  {Py_tp_descr_get, get},   {Py_tp_traverse, traverse},
    {Py_tp_clear, clear}, {Py_tp_dealloc, dealloc}, {0, NULL},
};
static PyType_Spec specification = {
    .name = "stackglass.self_method",
    .basicsize = sizeof(struct self_method),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};

static int put_one(PyObject *owner, PyObject *name, PyObject *type) {
    PyObject *plain = PyObject_GetAttr(owner, name);
    PyObject *method = plain ? PyType_GenericAlloc((PyTypeObject *)type, 0) : NULL;
    if (!method) {
        Py_XDECREF(plain);
        return -1;
    }
    Py_INCREF(owner);
    ((struct self_method *)method)->owner = owner;
    ((struct self_method *)method)->plain = plain;
    int result = PyObject_SetAttr(owner, name, method);
    Py_DECREF(method);
    return result;
}

int sg_self_method_put(PyObject *module, PyObject *type, const char *const *names,
                       sg_new_type_fn *new_type) {
    PyObject *own = new_type(module, &specification, NULL);
    int result = own ? 0 : -1;
    for (; !result && *names; names++) {
        PyObject *name = PyUnicode_InternFromString(*names);
        result = name ? put_one(type, name, own) : -1;
        Py_XDECREF(name);
    }
    Py_XDECREF(own);
    return result;
}
