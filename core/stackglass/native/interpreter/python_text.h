/* Strings and attributes of objects, read without running Python code. Caller holds the GIL; no
 * call leaves an exception set. */
#ifndef STACKGLASS_INTERPRETER_PYTHON_TEXT_H
#define STACKGLASS_INTERPRETER_PYTHON_TEXT_H

#include <Python.h>

/* A str as UTF-8, malloc'ed; characters without UTF-8 become '?'. NULL if `text` is NULL or not a
 * str, or if memory runs out. */
char *sg_python_text_copy(PyObject *text);

/* The dictionary of a module in sys.modules, borrowed from the module; NULL if there is none. */
PyObject *sg_python_text_module_names(const char *module);
/* What that dictionary has under `name`, borrowed from it; NULL if it has nothing. */
PyObject *sg_python_text_global(const char *module, const char *name);
/* The same, if it is a type. */
PyObject *sg_python_text_global_type(const char *module, const char *name);

/* The dictionary of a class, borrowed from the class; NULL if it is not found. */
PyObject *sg_python_text_class_names(PyObject *type);

/* The four below intern `name`: the interpreter keeps it, so pass constants. */

/* An attribute as object.__getattribute__ finds it: a new reference, or NULL. */
PyObject *sg_python_text_plain_attribute(PyObject *object, const char *name);
/* The same, borrowed from the object, which must keep it; NULL = None or nothing. */
PyObject *sg_python_text_kept_attribute(PyObject *object, const char *name);

/* An attribute as getattr() finds it: a new reference, or NULL. Only for the interpreter's own
 * types and objects of these: others may run code. */
PyObject *sg_python_text_attribute(PyObject *object, const char *name);

/* The result of a method without arguments: a new reference, or NULL. As above. */
PyObject *sg_python_text_call(PyObject *object, const char *method);

#endif
