/* Native code: all machine code except that of the interpreter, the C runtime and the engine. A
 * sample taken in native code gets a <native> leaf. */
#ifndef STACKGLASS_INTERPRETER_NATIVE_CODE_H
#define STACKGLASS_INTERPRETER_NATIVE_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* Update the address ranges if libraries have been loaded or unloaded. One thread at a time. */
void sg_native_code_refresh(void);

/* Is `pc` in native code? Returns false before the first refresh. Async-signal-safe. */
bool sg_native_code_is_native(uintptr_t pc);

/* Is `path` a library of the C runtime, that is, a part of the C library or the loader? */
bool sg_native_code_is_runtime(const char *path);

#endif
