/* Looking at the interpreter's objects without running any Python code. Caller holds the GIL; no
 * call leaves an exception behind. */
#ifndef STACKGLASS_INTERPRETER_PYTHON_TEXT_H
#define STACKGLASS_INTERPRETER_PYTHON_TEXT_H

#include <Python.h>

/* A str as UTF-8, what has none replaced by '?'; malloc'ed. NULL if it is no str (NULL is none
 * either), or memory ran out. */
char *sg_python_text_copy(PyObject *text);

/* The dictionary of a module in sys.modules, borrowed from it; NULL if it is not there. */
PyObject *sg_python_text_module_names(const char *module);

/* An attribute as object.__getattribute__ finds it, new reference, or NULL. */
PyObject *sg_python_text_plain_attribute(PyObject *object, const char *name);

#endif
