/* Loaded modules: whether the program has imported a module, read without the GIL. */
#ifndef STACKGLASS_INTERPRETER_LOADED_MODULES_H
#define STACKGLASS_INTERPRETER_LOADED_MODULES_H

#include <stdbool.h>

/* True: at this moment `sys.modules` of the only interpreter has no such name. False: it has, or it
 * is not known, as up to 3.11. Any thread, without a lock. */
bool sg_loaded_modules_lack(const char *name);

#endif
