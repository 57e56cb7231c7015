/* Mask hooks: patches of the built-in functions that block signals or wait for them.
 *
 * A thread that blocks the sampler's signal, or waits for it (sigwait and the like), must not get
 * it: the signal would stay pending, and the program would take it for its own. So the thread is
 * disarmed before the call, and armed again after it has unblocked the signal. Not seen here are
 * calls from C code, and a pthread_sigmask that unblocks the signal by leaving it out
 * (SIG_SETMASK); thread_timers.h watches for both. All calls need the GIL. */
#ifndef STACKGLASS_CPU_MASK_HOOKS_H
#define STACKGLASS_CPU_MASK_HOOKS_H

/* Install the patches. Returns 0, or -1 with nothing changed. A function that is missing is left
 * out. */
int sg_mask_hooks_install(void);
void sg_mask_hooks_remove(void);

#endif
