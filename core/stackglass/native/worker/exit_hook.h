/* Noticing that the interpreter ends, while there is still time to say what was seen. */
#ifndef STACKGLASS_WORKER_EXIT_HOOK_H
#define STACKGLASS_WORKER_EXIT_HOOK_H

/* Register with, and take away from, the interpreter's atexit. Caller holds the GIL. `sys.modules`
 * is as before afterwards, whether atexit was in it or not. 0 or -1. */
int sg_exit_hook(void);
/* What to call at exit, without the GIL. Before the first sg_exit_hook; constant from then on. */
void sg_exit_hook_call(void (*at_exit)(void));
void sg_exit_hook_unhook(void);
/* Forget it: in a forked child, which inherits the registration and may run its callback. */
void sg_exit_hook_forget(void);

#endif
