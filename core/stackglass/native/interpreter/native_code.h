/* Native code: any machine code but the interpreter's and the C runtime's. A sample taken there
 * gets a <native> leaf. */
#ifndef STACKGLASS_INTERPRETER_NATIVE_CODE_H
#define STACKGLASS_INTERPRETER_NATIVE_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* Update the ranges if libraries have been loaded or unloaded. One thread at a time. */
void sg_native_code_refresh(void);

/* Async-signal-safe. */
bool sg_native_code_is_native(uintptr_t pc);

/* True if `path` is a library of the C runtime: the C library, the loader and their parts. */
bool sg_native_code_is_runtime(const char *path);

#endif
