/* Functions of the engine's extension module, which the tests' extension module has as well. */
#ifndef STACKGLASS_MODULE_H
#define STACKGLASS_MODULE_H

#include <Python.h>

/* Add every function that production Python calls to `module`. Returns 0, or -1 with an exception
 * set. */
int sg_module_add_functions(PyObject *module);

#endif
