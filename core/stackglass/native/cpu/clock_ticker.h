/* Ticker: the clock that needs neither perf events nor CPU timers. At random moments an engine
 * thread looks at all threads, and signals those that it finds running.
 *
 * A thread that runs, or waits for a processor, at several looks in a row gets a timer of its own.
 * Any other thread gets its signal from the ticker. Both functions are called under
 * sg_threads_lock. */
#ifndef STACKGLASS_CPU_CLOCK_TICKER_H
#define STACKGLASS_CPU_CLOCK_TICKER_H

#include "cpu/threads.h"

struct sg_ticker_call {
    int signo;
    uint64_t due_ns; /* CLOCK_MONOTONIC: when the call was due */
    uint64_t period_ns;
};
/* Begin to look at a thread. Any engine thread. */
void sg_clock_ticker_arm(struct sg_slot *slot);
/* Look at all threads, or again at those that a nap was needed for. Returns when to call it again
 * to finish this look, CLOCK_MONOTONIC ns; 0 = the look is finished. Only the sampler's thread
 * calls this. */
uint64_t sg_clock_ticker_tick(const struct sg_ticker_call *call);

#endif
