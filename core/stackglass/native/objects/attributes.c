/* Visits the references of an object. The name of an attribute is searched for in the instance's
 * dictionary or, if it has none, in its inline values, then in the slots of its classes.
 *
 * Dictionary and slots are read by C functions of the interpreter. A look-up of the attribute could
 * find a property instead, of the class itself or of a derived one, and run its code. */
#include "objects/attributes.h"

#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "objects/inline_values.h"

struct visiting {
    sg_attribute_fn *visit;
    void *context;
    int n;
    bool is_over; /* tp_traverse of an extension may go on, whatever the visit returns */
};

/* Visit one reference, and end the visit if it was the last one. */
static void visit_one(struct visiting *visiting, PyObject *name, PyObject *value) {
    visiting->is_over =
        ++visiting->n > SG_MOST_ATTRIBUTES || !visiting->visit(visiting->context, name, value);
}

static int visit_reference(PyObject *value, void *context) {
    struct visiting *visiting = context;
    PyObject *name, *inner; /* borrowed from the dictionary */
    Py_ssize_t at = 0;
    if (value && !visiting->is_over)
        visit_one(visiting, NULL, value);
    if (!value || Py_TYPE(value) != &PyDict_Type)
        return visiting->is_over;
    while (!visiting->is_over && PyDict_Next(value, &at, &name, &inner)) {
        if (PyUnicode_Check(name))
            visit_one(visiting, name, inner);
        else
            visiting->is_over = ++visiting->n > SG_MOST_ATTRIBUTES;
    }
    return visiting->is_over;
}

void sg_attributes_visit(PyObject *object, traverseproc traverse, sg_attribute_fn *visit,
                         void *context) {
    struct visiting visiting = {.visit = visit, .context = context};
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

/* Return the dictionary of an instance that has one: a new reference, or NULL. */
static PyObject *find_dictionary(PyObject *object) {
    static PyObject *(*dictionary_of)(PyObject *, void *); /* guarded by the GIL */
    if (!dictionary_of && !sg_python_symbols_look_up("PyObject_GenericGetDict", &dictionary_of))
        return NULL;
    PyObject *dict = dictionary_of(object, NULL);
    PyErr_Clear();
    return dict;
}

/* Search the slots that `type` itself has. */
static PyObject *find_in_slots(PyObject *object, PyObject *type, PyObject *value) {
    const void *slot_type = sg_python_symbols_address("PyMemberDescr_Type");
    PyObject *names = sg_python_text_class_names(type), *found = NULL;
    PyObject *name, *slot; /* borrowed from the dictionary */
    Py_ssize_t at = 0;
    while (names && !found && PyDict_Next(names, &at, &name, &slot)) {
        if ((const void *)Py_TYPE(slot) != slot_type)
            continue;
        PyObject *held = sg_python_text_descriptor_value(slot, object);
        if (held == value)
            found = name;
        Py_XINCREF(found);
        Py_XDECREF(held);
    }
    return found;
}

PyObject *sg_object_attributes_class_name(PyObject *type, PyObject *value) {
    return find_in_dict(sg_python_text_class_names(type), value);
}

PyObject *sg_attribute_name(PyObject *object, PyObject *value) {
    PyObject *dict = sg_inline_values_has_dict(object) ? find_dictionary(object) : NULL;
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
