/* Machine code that 3.15's JIT has made of hot loops: it keeps the function pointers of methods, so
 * a swap of them does not reach it. */
#ifndef STACKGLASS_INTERPRETER_JIT_TRACES_H
#define STACKGLASS_INTERPRETER_JIT_TRACES_H

/* Have the interpreter forget it, and warm up anew; nothing where there is none, or where it looks
 * methods up. Caller holds the GIL. */
void sg_jit_traces_forget(void);

#endif
