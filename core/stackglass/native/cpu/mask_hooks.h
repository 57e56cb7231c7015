/* The built-in functions by which Python code blocks signals or waits for them.
 *
 * A thread that blocks our signal, or is about to wait for it (sigwait and its kin), must not get
 * any: they would stay pending, and be taken for the program's own. So the thread is taken out of
 * the clocks' reach before the call, and put back when it has unblocked the signal.
 * C code that calls the C library is not heard here; thread_timers.h watches for that.
 * All calls need the GIL. */
#ifndef STACKGLASS_CPU_MASK_HOOKS_H
#define STACKGLASS_CPU_MASK_HOOKS_H

/* 0, or -1 with nothing changed. A function that is missing is left out. */
int sg_mask_hooks_install(void);
void sg_mask_hooks_remove(void);

#endif
