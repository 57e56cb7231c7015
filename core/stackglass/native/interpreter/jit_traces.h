/* JIT traces: 3.15's machine code of hot loops, which holds function pointers of methods, so that a
 * method patch does not reach it. */
#ifndef STACKGLASS_INTERPRETER_JIT_TRACES_H
#define STACKGLASS_INTERPRETER_JIT_TRACES_H

/* Make the interpreter discard its traces and warm up again. Does nothing where there are none, or
 * where they look methods up. Caller holds the GIL. */
void sg_jit_traces_forget(void);

#endif
