/* What the tests' extension shares with the engine's: the functions that both have. */
#ifndef STACKGLASS_MODULE_H
#define STACKGLASS_MODULE_H

#include <Python.h>

/* Add every function that production Python calls. 0, or -1 with the exception set. */
int sg_module_add_functions(PyObject *module);

#endif
