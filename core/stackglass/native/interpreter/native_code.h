/* Which machine code is the interpreter's or the C runtime's. A thread found elsewhere is in
 * native code of an extension, and its sample gets a <native> leaf. */
#ifndef STACKGLASS_INTERPRETER_NATIVE_CODE_H
#define STACKGLASS_INTERPRETER_NATIVE_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* Look at the loaded libraries again if there are new ones. One thread at a time. */
void sg_native_code_refresh(void);

/* Async-signal-safe. */
bool sg_native_code_is_native(uintptr_t pc);

/* Whether a library's path is that of the C library, the loader or what belongs to them. */
bool sg_native_code_is_runtime(const char *path);

#endif
