/* The sampler's signal: which one it is, and how it is claimed, sent and released.
 *
 * Only a signal with the default action "ignore" is used, so that a tick after an exec, where no
 * handler is left, harms no program. There are four:
 *
 *     SIGURG    first choice, as in Go. The kernel sends it only on request
 *               (F_SETOWN and out-of-band data)
 *     SIGWINCH  if the program uses SIGURG and has no terminal: then the kernel never sends it.
 *               With a terminal, curses and readline would find the engine's handler
 *     SIGCHLD   never: with a handler every child that ends interrupts a system call, and
 *               children of a program that ignores it would not be reaped
 *     SIGCONT   never: it continues a stopped process, with or without a handler
 *
 * When the program wants the signal, the sampler releases it and takes another. Where none is free,
 * threads are sampled without a signal (outside_sampler.h). */
#ifndef STACKGLASS_CPU_SIGNALS_H
#define STACKGLASS_CPU_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Signals 32 and 33, as bits of a mask. The C library blocks both, with all others, only while a
 * thread starts or forks; a program cannot block them through the C library. The sampler's handler
 * blocks all others and 32, so a thread's mask shows whether the thread is in the handler. */
#define SG_SIGNALS_OF_LIBRARY (UINT64_C(3) << 31)
#define SG_SIGNALS_HANDLER_MARK (UINT64_C(1) << 31)

/* Set the handler's function, before a signal is claimed. It returns false if the sampler did not
 * send the signal. */
typedef bool sg_signal_fn(const siginfo_t *info, const void *context);
void sg_signals_set_handler(sg_signal_fn *handler);

/* Install the handler on the best free signal but `except` (0 = none). Returns its number; 0 = no
 * signal is free. Only engine threads call this, one at a time. */
int sg_signals_claim(int except);

/* Restore the previous action of `signo`, unless the program has replaced the handler. Pending
 * ticks are discarded. */
void sg_signals_release(int signo);

/* Is the engine's handler still installed on `signo`? */
bool sg_signals_is_installed(int signo);

/* Send a signal with a pointer to one thread of this process. Only engine threads call this, under
 * sg_threads_lock. */
void sg_signals_send(pid_t tid, int signo, void *pointer);

#endif
