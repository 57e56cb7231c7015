/* No warning of threads that are only ours.
 *
 * From 3.12 on, os.fork() warns a program (DeprecationWarning) if its process has more than one
 * thread. A program without threads must not be told of the engine's: it would print what it never
 * printed, or raise where it never raised. */
#ifndef STACKGLASS_WORKER_FORK_WARNING_H
#define STACKGLASS_WORKER_FORK_WARNING_H

/* Put ourselves in front of os.fork and its kin, and back. Caller holds the GIL. Where it cannot
 * be done, the program is warned: that is no reason not to profile it. */
void sg_fork_warning_hook(void);
void sg_fork_warning_unhook(void);

#endif
