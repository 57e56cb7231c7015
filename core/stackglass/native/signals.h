/* The signal that ticks come by.
 *
 *     SIGURG if the program leaves it alone: ignored by default, so that one that arrives where no
 *     handler is any more (exec) harms nobody; else a free realtime signal.
 *
 * It is given up as soon as the program wants it: our ticks move to another one first. */
#ifndef STACKGLASS_SIGNALS_H
#define STACKGLASS_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

/* Would SIGURG be free? */
bool sg_signals_is_default_free(void);

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
