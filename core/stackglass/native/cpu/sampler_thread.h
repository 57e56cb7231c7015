/* The sampler's own thread: arms new threads as they start, moves to another signal when the
 * program asks for ours, and ticks if the clock is the ticker.
 *
 * It exists because these cannot wait for the writer's next round, and cannot be done by the
 * program's threads, which do not see the engine's descriptors. */
#ifndef STACKGLASS_CPU_SAMPLER_THREAD_H
#define STACKGLASS_CPU_SAMPLER_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/* By the writer. The thread shares the caller's descriptor table. */
bool sg_sampler_thread_start(void);
void sg_sampler_thread_stop(void);
void sg_sampler_thread_discard(void); /* in a forked child */

/* Work that a room above has the thread do: `tend` each time it wakes, which returns when to wake
 * next, in ns from now (0 = never); `end` as the thread ends. One at most; any thread. */
struct sg_chore {
    uint64_t (*tend)(void);
    void (*end)(void);
};
void sg_sampler_thread_set_chore(const struct sg_chore *chore);

/* Any thread. */
void sg_sampler_thread_request_scan(void);
/* Async-signal-safe. */
void sg_sampler_thread_wake(void);
/* Waits until ticks come by another signal than `signo`, half a second at most. Any thread but
 * the engine's; the caller may hold the GIL. */
void sg_sampler_thread_request_other_signal(int signo);
/* The calling thread is about to block our signal, or to wait for it: it gets no more of them when
 * this returns. Waits as the call above. */
void sg_sampler_thread_request_outside(void);
/* The calling thread may have unblocked it. Does not wait. */
void sg_sampler_thread_request_return(void);

#endif
