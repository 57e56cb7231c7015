/* Finds a getter as the definition behind a type's descriptor. */
#include "threads/getters.h"

#include <string.h>

#include "interpreter/python_text.h"
#include "platform/memory.h"

enum { DESCRIPTOR_GETSET = 40 }; /* PyGetSetDescrObject.d_getset */

const PyGetSetDef *sg_getters_find(PyObject *type, const char *name) {
    PyObject *descriptor = sg_python_text_attribute(type, name);
    const PyGetSetDef *getter = NULL;
    if (descriptor && Py_TYPE(descriptor) == &PyGetSetDescr_Type)
        getter = (const PyGetSetDef *)sg_memory_load((uintptr_t)descriptor + DESCRIPTOR_GETSET);
    if (getter && (!getter->get || strcmp(getter->name, name) != 0))
        getter = NULL;
    Py_XDECREF(descriptor);
    PyErr_Clear();
    return getter;
}

PyObject *sg_getters_read(const PyGetSetDef *getter, PyObject *object) {
    PyObject *value = getter->get(object, getter->closure);
    if (!value) {
        PyErr_Clear();
        return NULL;
    }
    Py_DECREF(value);
    return value == Py_None ? NULL : value;
}
