/* Ticker: an engine thread that signals threads when it finds them running.
 *
 * A thread that is running at look after look gets a wall timer; to another one the ticker sends a
 * signal itself, with the slot's address, if it runs at the moment of a look. Under
 * sg_threads_lock, on the sampler's thread. */
#ifndef STACKGLASS_CPU_CLOCK_TICKER_H
#define STACKGLASS_CPU_CLOCK_TICKER_H

#include "cpu/threads.h"

struct sg_ticker_call {
    int signo;
    uint64_t due_ns; /* CLOCK_MONOTONIC: when the call was due */
    uint64_t period_ns;
};
void sg_clock_ticker_arm(struct sg_slot *slot);
/* Begin a look, or continue it. Returns when to continue, CLOCK_MONOTONIC ns; 0 = it has ended. */
uint64_t sg_clock_ticker_tick(const struct sg_ticker_call *call);

#endif
