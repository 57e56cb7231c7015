/* JIT traces: the machine code that 3.15 makes of hot loops. A trace holds function pointers of
 * methods, so a method patch (method_patch.h) has no effect on it. */
#ifndef STACKGLASS_INTERPRETER_JIT_TRACES_H
#define STACKGLASS_INTERPRETER_JIT_TRACES_H

/* Make the interpreter discard its traces and warm up again. Does nothing before 3.15, or if the
 * JIT is off. The caller holds the GIL. */
void sg_jit_traces_forget(void);

#endif
