/* Fork warning: keeps os.fork() from warning about the engine's threads.
 *
 * From 3.12 on, os.fork() issues a DeprecationWarning if the process has more than one thread. A
 * program without threads must not get one because of the engine's: it would print what it never
 * printed, or raise where it never raised. */
#ifndef STACKGLASS_WORKER_FORK_WARNING_H
#define STACKGLASS_WORKER_FORK_WARNING_H

/* Patch os.fork, os.fork1 and os.forkpty, and restore them. Caller holds the GIL. Where that fails
 * the program is warned; it is profiled nonetheless. */
void sg_fork_warning_hook(void);
void sg_fork_warning_unhook(void);

#endif
