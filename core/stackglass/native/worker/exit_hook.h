/* Exit hook: an atexit callback, which runs while the engine can still send its samples. */
#ifndef STACKGLASS_WORKER_EXIT_HOOK_H
#define STACKGLASS_WORKER_EXIT_HOOK_H

/* Register the callback. Caller holds the GIL. `sys.modules` is not changed, whether
 * atexit is in it or not. 0 or -1. */
int sg_exit_hook(void);
/* Set the function to call at exit, without the GIL: always the same one, before sg_exit_hook. */
void sg_exit_hook_call(void (*at_exit)(void));
/* Unregister the callback. Caller holds the GIL. */
void sg_exit_hook_unhook(void);
/* Disable the callback: in a forked child, which inherits its registration. */
void sg_exit_hook_forget(void);

#endif
