/* Fork warning: keeps os.fork() from warning about the engine's threads.
 *
 * From 3.12 on, os.fork() issues a DeprecationWarning if the process has more than one thread. A
 * program without threads must not get one because of the engine's: it would print what it never
 * printed, or raise where it never raised. */
#ifndef STACKGLASS_WORKER_FORK_WARNING_H
#define STACKGLASS_WORKER_FORK_WARNING_H

/* While the engine's threads start and are not hooked yet, and while they leave, the handlers of
 * pthread_atfork prevent the warning: a fork waits some milliseconds for threads that leave; for
 * one that comes before the hook, a filter of that very text is kept until a later job. */

/* The engine's threads are about to start. Any thread. */
void sg_fork_warning_open(void);
/* Handlers: before a fork, and after it in the parent. */
void sg_fork_warning_before_fork(void);
void sg_fork_warning_after_fork(void);
void sg_fork_warning_after_fork_in_child(void);
/* Remove the filter that was kept. Caller holds the GIL. */
void sg_fork_warning_maintain(void);

/* Patch os.fork, os.fork1 and os.forkpty, and restore them. Caller holds the GIL. Where that fails
 * the program is warned; it is profiled nonetheless. */
void sg_fork_warning_hook(void);
void sg_fork_warning_unhook(void);

#endif
