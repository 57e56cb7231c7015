/* Visits the references of an object. The name of an attribute is searched for in the instance's
 * dictionary or, if it has none, in its inline values, then in the slots of its classes. */
#include "objects/attributes.h"

#include <dlfcn.h>

#include "interpreter/python_text.h"
#include "objects/inline_values.h"

struct visiting {
    sg_attribute_fn *visit;
    void *context;
    int n;
};

static bool is_enough(struct visiting *visiting) { return ++visiting->n > SG_MOST_ATTRIBUTES; }

static int visit_reference(PyObject *value, void *context) {
    struct visiting *visiting = context;
    PyObject *name, *inner; /* borrowed from the dictionary */
    Py_ssize_t at = 0;
    if (!value)
        return 0;
    if (is_enough(visiting) || !visiting->visit(visiting->context, NULL, value))
        return 1;
    if (Py_TYPE(value) != &PyDict_Type)
        return 0;
    while (PyDict_Next(value, &at, &name, &inner)) {
        if (is_enough(visiting) ||
            (PyUnicode_Check(name) && !visiting->visit(visiting->context, name, inner)))
            return 1;
    }
    return 0;
}

void sg_attributes_visit(PyObject *object, traverseproc traverse, sg_attribute_fn *visit,
                         void *context) {
    struct visiting visiting = {visit, context, 0};
    if (traverse)
        traverse(object, visit_reference, &visiting);
}

static PyObject *find_in_dict(PyObject *dict, PyObject *value) {
    PyObject *name, *found; /* borrowed from the dictionary */
    Py_ssize_t at = 0;
    while (dict && PyDict_Check(dict) && PyDict_Next(dict, &at, &name, &found)) {
        if (found == value && PyUnicode_Check(name)) {
            Py_INCREF(name);
            return name;
        }
    }
    return NULL;
}

/* Search the slots that `type` itself has. */
static PyObject *find_in_slots(PyObject *object, PyObject *type, PyObject *value) {
    const void *slot_type = dlsym(RTLD_DEFAULT, "PyMemberDescr_Type");
    PyObject *names = sg_python_text_class_names(type), *found = NULL;
    PyObject *name, *slot; /* borrowed from the dictionary */
    Py_ssize_t at = 0;
    while (names && !found && PyDict_Next(names, &at, &name, &slot)) {
        if ((const void *)Py_TYPE(slot) != slot_type)
            continue;
        PyObject *held = PyObject_GenericGetAttr(object, name);
        if (held == value)
            found = name;
        Py_XINCREF(found);
        Py_XDECREF(held);
        PyErr_Clear();
    }
    return found;
}

PyObject *sg_object_attributes_class_name(PyObject *type, PyObject *value) {
    return find_in_dict(sg_python_text_class_names(type), value);
}

PyObject *sg_attribute_name(PyObject *object, PyObject *value) {
    PyObject *dict = sg_inline_values_has_dict(object)
                         ? sg_python_text_plain_attribute(object, "__dict__")
                         : NULL;
    PyObject *name = dict ? find_in_dict(dict, value) : sg_inline_values_name(object, value);
    PyTypeObject *type = Py_TYPE(object);
    while (!name && type && type != &PyBaseObject_Type &&
           PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE) {
        name = find_in_slots(object, (PyObject *)type, value);
        type = PyType_GetSlot(type, Py_tp_base);
    }
    Py_XDECREF(dict);
    return name;
}
