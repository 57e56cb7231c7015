/* Attributes are looked up by interned names. */
#include "interpreter/python_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"

char *sg_python_text_copy(PyObject *text) {
    if (!text || !PyUnicode_Check(text))
        return NULL;
    PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "replace");
    char *copy = bytes ? strdup(PyBytes_AsString(bytes)) : NULL;
    Py_XDECREF(bytes);
    PyErr_Clear();
    return copy;
}

PyObject *sg_python_text_module_names(const char *module) {
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed from the interpreter */
    PyObject *found = modules ? PyDict_GetItemString(modules, module) : NULL; /* borrowed */
    return found && PyModule_Check(found) ? PyModule_GetDict(found) : NULL;
}

PyObject *sg_python_text_global(const char *module, const char *name) {
    PyObject *names = sg_python_text_module_names(module);
    return names ? PyDict_GetItemString(names, name) : NULL;
}

PyObject *sg_python_text_global_type(const char *module, const char *name) {
    PyObject *type = sg_python_text_global(module, name);
    return type && PyType_Check(type) ? type : NULL;
}

PyObject *sg_python_text_descriptor_value(PyObject *descriptor, PyObject *object) {
    uint64_t word = sg_memory_load((uintptr_t)Py_TYPE(descriptor) + SG_TP_DESCR_GET);
    descrgetfunc get;
    memcpy(&get, &word, sizeof get);
    PyObject *value = get ? get(descriptor, object, (PyObject *)Py_TYPE(object)) : NULL;
    if (!value)
        PyErr_Clear();
    return value;
}

/* Set `found` to what a class has under `key`, borrowed from the class; NULL = nothing. Returns
 * false if that cannot be said. */
static bool find_in_class(PyTypeObject *type, PyObject *key, PyObject **found) {
    static PyObject *(*find)(PyTypeObject *, PyObject *); /* guarded by the GIL */
    if (!find && !sg_python_symbols_look_up("_PyType_Lookup", &find))
        return false;
    *found = find(type, key);
    PyErr_Clear();
    return true;
}

PyObject *sg_python_text_class_attribute(PyTypeObject *type, const char *name) {
    PyObject *key = PyUnicode_InternFromString(name), *found = NULL;
    bool is_known = key && find_in_class(type, key, &found);
    Py_XDECREF(key);
    PyErr_Clear();
    return is_known ? found : NULL;
}

/* Return the mappingproxy of a class: a new reference, or NULL. A metaclass may have a property in
 * place of the getter that the class `type` has. */
static PyObject *find_names(PyObject *type) {
    PyObject *getter = sg_python_text_class_attribute(&PyType_Type, "__dict__"); /* borrowed */
    return getter ? sg_python_text_descriptor_value(getter, type) : NULL;
}

PyObject *sg_python_text_class_names(PyObject *type) {
    enum { PROXY_MAPPING = 16 }; /* offset of `mapping` in a mappingproxy */
    PyObject *proxy = find_names(type);
    bool is_proxy = proxy && Py_TYPE(proxy) == &PyDictProxy_Type;
    PyObject *names =
        is_proxy ? (PyObject *)sg_memory_load((uintptr_t)proxy + PROXY_MAPPING) : NULL;
    Py_XDECREF(proxy);
    return names && PyDict_Check(names) ? names : NULL;
}

/* The interpreter's cache of attribute look-ups (type cache) has up to 4096 entries by string
 * object, and keeps those strings alive. If each look-up of the engine made a new string, the
 * engine's entries would displace the program's. An interned name is one object, so it has few
 * entries. */
static PyObject *look_up(getattrofunc get, PyObject *object, const char *name) {
    PyObject *key = PyUnicode_InternFromString(name);
    PyObject *value = key ? get(object, key) : NULL;
    Py_XDECREF(key);
    if (!value)
        PyErr_Clear();
    return value;
}

PyObject *sg_python_text_plain_attribute(PyObject *object, const char *name) {
    return look_up(PyObject_GenericGetAttr, object, name);
}

/* A descriptor computes the attribute, except that of a slot, which reads a field in place. */
static bool computes(PyObject *in_class) {
    return sg_memory_load((uintptr_t)Py_TYPE(in_class) + SG_TP_DESCR_GET) &&
           Py_TYPE(in_class) != &PyMemberDescr_Type;
}

PyObject *sg_python_text_stored_attribute(PyObject *object, PyObject *key) {
    PyObject *in_class;
    if (!key || !find_in_class(Py_TYPE(object), key, &in_class) || (in_class && computes(in_class)))
        return NULL;
    PyObject *value = PyObject_GenericGetAttr(object, key);
    if (!value)
        PyErr_Clear();
    return value;
}

PyObject *sg_python_text_kept_attribute(PyObject *object, const char *name) {
    PyObject *key = PyUnicode_InternFromString(name);
    PyObject *value = sg_python_text_stored_attribute(object, key);
    Py_XDECREF(key);
    PyErr_Clear();
    Py_XDECREF(value);
    return value == Py_None ? NULL : value;
}

PyObject *sg_python_text_attribute(PyObject *object, const char *name) {
    return look_up(PyObject_GetAttr, object, name);
}

PyObject *sg_python_text_function_code(PyObject *function) {
    static PyObject *(*code_of)(PyObject *); /* guarded by the GIL */
    if (!code_of && !sg_python_symbols_look_up("PyFunction_GetCode", &code_of))
        return NULL;
    PyObject *code = code_of(function); /* borrowed from the function */
    Py_XINCREF(code);
    PyErr_Clear();
    return code;
}

PyObject *sg_python_text_call(PyObject *object, const char *method) {
    PyObject *callable = sg_python_text_attribute(object, method);
    PyObject *result = callable ? PyObject_CallFunctionObjArgs(callable, NULL) : NULL;
    Py_XDECREF(callable);
    if (!result)
        PyErr_Clear();
    return result;
}
