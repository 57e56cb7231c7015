/* Loaded modules: whether sys.modules has a module, read without the GIL. */
#ifndef STACKGLASS_INTERPRETER_LOADED_MODULES_H
#define STACKGLASS_INTERPRETER_LOADED_MODULES_H

#include <stdbool.h>

/* Does `sys.modules` of the only interpreter lack `name` at this moment? Returns false if it has
 * the name, or if that is not known: up to 3.11, or if there are several interpreters. Any thread,
 * without a lock. */
bool sg_loaded_modules_lack(const char *name);

#endif
