/* A signal to one thread by the calls that every program makes, where a system call filter forbids
 * the call that carries a pointer with it (rt_tgsigqueueinfo).
 *
 *     fcntl: the pipe's owner is thread T, its signal S      write ─▶ pipe ─▶ signal S to T
 *
 * The kernel sends the signal while the byte is written. It carries the pipe's number and nothing
 * else, so the handler looks for its slot by its own thread. */
#ifndef STACKGLASS_CPU_SIGNAL_PIPE_H
#define STACKGLASS_CPU_SIGNAL_PIPE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Make the pipe, if signals need it here. Engine threads, one at a time, as are the next two.
 * False if there is none to be had. */
bool sg_signal_pipe_open(void);
void sg_signal_pipe_close(void);
/* In a forked child. */
void sg_signal_pipe_forget(void);

/* Under sg_threads_lock. The thread is one of this process. */
void sg_signal_pipe_send(pid_t tid, int signo);

/* Whether a signal came by it. Async-signal-safe. */
bool sg_signal_pipe_sent(const siginfo_t *info);

#endif
