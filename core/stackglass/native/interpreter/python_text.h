/* Python text: strings, attributes and module variables, read without running Python code, except
 * where a line says otherwise. The caller holds the GIL; no function leaves an exception set. */
#ifndef STACKGLASS_INTERPRETER_PYTHON_TEXT_H
#define STACKGLASS_INTERPRETER_PYTHON_TEXT_H

#include <Python.h>

/* Return the str `text` as UTF-8, malloc'ed; characters that have no UTF-8 become '?'. Returns NULL
 * if `text` is NULL or no str, or if memory runs out. */
char *sg_python_text_copy(PyObject *text);

/* Return the dictionary of a module in sys.modules, borrowed from the module; NULL if there is no
 * such module. */
PyObject *sg_python_text_module_names(const char *module);
/* Return the variable `name` of `module`, borrowed from the module's dictionary; NULL = none. */
PyObject *sg_python_text_global(const char *module, const char *name);
/* Return the variable `name` of `module` if it is a type, borrowed; otherwise NULL. */
PyObject *sg_python_text_global_type(const char *module, const char *name);

/* Return the dictionary of a class, borrowed from the class; NULL if it is not found. */
PyObject *sg_python_text_class_names(PyObject *type);

/* Return what a descriptor of the interpreter's own, such as a slot's, gives for an object of its
 * class: a new reference, or NULL. A look-up of its name could find another descriptor, of a
 * derived class, and run its code. */
PyObject *sg_python_text_descriptor_value(PyObject *descriptor, PyObject *object);

/* The next functions that take a `name` intern it, and the interpreter keeps interned strings. So
 * pass only constant names. */

/* Return what a class or one of its bases has under `name`, a function for a method, borrowed from
 * that class; NULL = none. Runs no code of a metaclass or a descriptor. */
PyObject *sg_python_text_class_attribute(PyTypeObject *type, const char *name);

/* Return an attribute as object.__getattribute__ finds it: a new reference, or NULL. Runs Python
 * code only if the object's class has a property, or a descriptor written in Python, of that name.
 */
PyObject *sg_python_text_plain_attribute(PyObject *object, const char *name);
/* The same as sg_python_text_stored_attribute, borrowed from the object, which must keep the value.
 * Returns NULL also if the value is None. */
PyObject *sg_python_text_kept_attribute(PyObject *object, const char *name);

/* Return an attribute that is stored in the object, or in a class as a plain value: a new
 * reference; NULL if there is none, or if a class computes it, as a property does. Runs no code of
 * the program, whatever the object's class. `key` is an interned str; NULL = memory ran out. */
PyObject *sg_python_text_stored_attribute(PyObject *object, PyObject *key);

/* Return an attribute as getattr() finds it: a new reference, or NULL. Only for the interpreter's
 * own types and their objects: other types may run Python code. */
PyObject *sg_python_text_attribute(PyObject *object, const char *name);

/* Return the code object of a Python function: a new reference; NULL if `function` is none. The
 * attribute `__code__` is not read, because that calls the program's audit hooks. */
PyObject *sg_python_text_function_code(PyObject *function);

/* Call a method without arguments, and return its result: a new reference, or NULL. Only for the
 * interpreter's own types and their objects. */
PyObject *sg_python_text_call(PyObject *object, const char *method);

#endif
