/* The signal that ticks come by.
 *
 * Only one whose default action is to be ignored, so that a tick that arrives where no handler is
 * any more (exec) harms no program. Of the four that there are:
 *
 *     SIGURG    the first choice, as in Go: sent by the kernel only to who asks for it (F_SETOWN
 * and out-of-band data) SIGWINCH  where the program uses SIGURG, and has no terminal: then the
 * kernel never sends it. With a terminal curses and readline would find our handler and act
 * differently SIGCHLD   never: with a handler every child that ends interrupts a system call, and
 * children of a program that ignores it would not be reaped SIGCONT   never: it wakes a stopped
 * process, with or without a handler
 *
 * It is given up as soon as the program wants it: our ticks move to another one first. Where none
 * is free there is none, and threads are sampled without a signal (outside_sampler.h). */
#ifndef STACKGLASS_CPU_SIGNALS_H
#define STACKGLASS_CPU_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Set the function that handles the signal, before one is claimed: false if the sampler did not
 * send it. */
typedef bool sg_signal_fn(const siginfo_t *info, const void *context);
void sg_signals_set_handler(sg_signal_fn *handler);

/* Install the handler on the best free signal but `except` (0 = none). Its number, or 0 if there
 * is none. Engine's threads, one at a time. */
int sg_signals_claim(int except);

/* Put back what `signo` did before, unless the program has put something there meanwhile. Ticks
 * still on their way are thrown away. */
void sg_signals_release(int signo);

/* Is our handler still installed on it? */
bool sg_signals_is_ours(int signo);

/* Send it to one thread of this process, with a pointer. Engine's threads. */
void sg_signals_send(pid_t tid, int signo, void *pointer);

#endif
