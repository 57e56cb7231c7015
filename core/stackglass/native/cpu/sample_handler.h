/* Handler of the sampler's signal: takes a sample of its thread at a tick, and answers stack
 * requests. */
#ifndef STACKGLASS_CPU_SAMPLE_HANDLER_H
#define STACKGLASS_CPU_SAMPLE_HANDLER_H

#include <signal.h>
#include <stdbool.h>

/* Ticks become samples from here on. */
void sg_sample_handler_open(void);
/* Ticks are dropped from here on. Waits up to 100 ms for running handlers. */
void sg_sample_handler_close(void);
/* Return whether no handler is running. */
bool sg_sample_handler_is_quiet(void);
void sg_sample_handler_discard(void); /* in a forked child */

/* Handle a signal. Returns false if the sampler did not send it. Async-signal-safe; the caller
 * saves errno. */
bool sg_sample_handler_take(const siginfo_t *info, const void *context);

#endif
