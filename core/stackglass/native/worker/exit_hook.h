/* Exit hook: an atexit callback, which runs while the engine can still send its samples. */
#ifndef STACKGLASS_WORKER_EXIT_HOOK_H
#define STACKGLASS_WORKER_EXIT_HOOK_H

/* Enable the callback, and register it unless it still is from an earlier session. `sys.modules` is
 * not changed, whether atexit is in it or not. Returns 0, or -1 if that fails. The caller holds the
 * GIL. */
int sg_exit_hook(void);
/* Set the function that is called at exit, without the GIL. It is always the same one, and must be
 * set before sg_exit_hook. */
void sg_exit_hook_call(void (*at_exit)(void));
/* Disable the callback, which stays registered, when the engine leaves, or in a forked child. The
 * caller holds the GIL. */
void sg_exit_hook_disable(void);

#endif
