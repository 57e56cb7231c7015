/* Sampler's thread: arms threads as they start, changes the signal when the program wants it, and
 * runs the ticker.
 *
 * This work cannot wait for the writer's next round, and the program's threads cannot do it,
 * because they do not see the engine's descriptors. */
#ifndef STACKGLASS_CPU_SAMPLER_THREAD_H
#define STACKGLASS_CPU_SAMPLER_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/* Only the writer calls these; the thread shares the writer's descriptor table. start returns 0 or
 * an errno. */
int sg_sampler_thread_start(void);
void sg_sampler_thread_stop(void);
void sg_sampler_thread_discard(void); /* in a forked child */

/* Work for a part of the engine that is built on this one: the thread calls `maintain` each time it
 * wakes, which returns the time to the next call in ns (0 = never), and `end` when it ends. There
 * is at most one chore. Any thread may set it. */
struct sg_chore {
    uint64_t (*maintain)(void);
    void (*end)(void);
};
void sg_sampler_thread_set_chore(const struct sg_chore *chore);

/* The samplers that must know a thread soon after its start. While none of them is on, the writer's
 * scans are enough, and no scan is made at each start. */
enum sg_scan_reason { SG_SCANS_FOR_CPU = 1, SG_SCANS_FOR_WALL = 2, SG_SCANS_FOR_GIL = 4 };
/* Set whether scans are wanted for `reason`. The first reason requests a scan at once. Any thread
 * may call this. */
void sg_sampler_thread_want_scans(enum sg_scan_reason reason, bool is_wanted);
/* A thread has started: request a scan, if scans are wanted. Any thread may call this. */
void sg_sampler_thread_request_scan(void);
/* Wake the sampler's thread, so that it looks around. Async-signal-safe. */
void sg_sampler_thread_wake(void);
/* Request another signal than `signo`, and wait until the sampler sends no more `signo`, at most
 * five seconds. Any thread but the engine's may call this, also with the GIL held. */
void sg_sampler_thread_request_other_signal(int signo);
/* Request that the calling thread gets no more signals, because it is about to block the signal or
 * to wait for it. Waits at most five seconds, too. */
void sg_sampler_thread_request_outside(void);
/* Report that the calling thread may have unblocked the signal. Does not wait. */
void sg_sampler_thread_request_return(void);

#endif
