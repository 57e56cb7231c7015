/* Finds a getter as the definition behind a type's descriptor. */
#include "threads/getters.h"

#include <string.h>

#include "interpreter/object_fields.h"
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

void sg_getters_find_field(struct sg_getter_field *field, PyObject *type, const char *name) {
    const PyGetSetDef *getter = sg_getters_find(type, name);
    if (field->getter != getter)
        *field = (struct sg_getter_field){.getter = getter};
}

static void learn_field(struct sg_getter_field *field, PyObject *object, PyObject *value,
                        uint64_t size) {
    int32_t found = 0;
    uint32_t n = 0;
    for (uint64_t at = SG_FIRST_FIELD; at < size; at += sizeof value) {
        if (sg_memory_load((uintptr_t)object + at) != (uintptr_t)value)
            continue;
        found = (int32_t)at;
        n++;
    }
    if (n == 1)
        field->at = found;
}

PyObject *sg_getters_read_field(struct sg_getter_field *field, PyObject *object, uint64_t size) {
    if (field->at) {
        PyObject *value = (PyObject *)sg_memory_load((uintptr_t)object + (uintptr_t)field->at);
        return value == Py_None ? NULL : value;
    }
    PyObject *value = field->getter ? sg_getters_read(field->getter, object) : NULL;
    if (value)
        learn_field(field, object, value, size);
    return value;
}
