/* Fork warning: keeps os.fork() from warning about the engine's threads.
 *
 * From 3.12 on, os.fork() issues a DeprecationWarning if the process has more than one thread. A
 * program without threads of its own must not get this warning because of the engine's threads: it
 * would print a new message, or raise where it never raised before. */
#ifndef STACKGLASS_WORKER_FORK_WARNING_H
#define STACKGLASS_WORKER_FORK_WARNING_H

/* The pthread_atfork handlers below prevent the warning while the engine's threads start and
 * os.fork is not patched yet, and while the threads end. A fork waits some milliseconds for threads
 * that end. For a fork before the patch, a warnings filter of exactly this text is kept until a
 * later job. */

/* Note that the engine's threads are about to start. Any thread. */
void sg_fork_warning_open(void);
/* The handlers: before a fork, and after it in the parent and in the child. */
void sg_fork_warning_before_fork(void);
void sg_fork_warning_after_fork(void);
void sg_fork_warning_after_fork_in_child(void);
/* Remove the filter that was kept. The caller holds the GIL. */
void sg_fork_warning_maintain(void);

/* Patch os.fork, os.fork1 and os.forkpty, and restore them. If that fails, the program gets the
 * warning; it is profiled nonetheless. The caller holds the GIL. */
void sg_fork_warning_hook(void);
void sg_fork_warning_unhook(void);

#endif
