/* Signal pipe: a way to send a signal to one thread where a system call filter forbids
 * rt_tgsigqueueinfo. It needs only system calls that every program makes:
 *
 *     fcntl: the pipe's owner is thread T, its signal S      write ─▶ pipe ─▶ signal S to T
 *
 * The kernel sends the signal while the byte is written. The signal carries the pipe's descriptor
 * and no pointer, so the handler finds the slot by its own thread. */
#ifndef STACKGLASS_CPU_SIGNAL_PIPE_H
#define STACKGLASS_CPU_SIGNAL_PIPE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Make the pipe if signals cannot be sent without it. Returns false if that fails. Only engine
 * threads call this and the next two, one at a time. */
bool sg_signal_pipe_open(void);
void sg_signal_pipe_close(void);
/* In a forked child: close nothing, only forget the descriptors. */
void sg_signal_pipe_forget(void);

/* Send `signo` to thread `tid` of this process. Called under sg_threads_lock. */
void sg_signal_pipe_send(pid_t tid, int signo);

/* Return whether the pipe sent the signal. Async-signal-safe. */
bool sg_signal_pipe_sent(const siginfo_t *info);

#endif
