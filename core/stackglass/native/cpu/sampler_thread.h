/* Sampler's thread: arms threads as they start, changes the signal when the program wants it, and
 * runs the ticker.
 *
 * This work cannot wait for the writer's next round, and the program's threads cannot do it,
 * because they do not see the engine's descriptors. */
#ifndef STACKGLASS_CPU_SAMPLER_THREAD_H
#define STACKGLASS_CPU_SAMPLER_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/* By the writer; the thread shares its descriptor table. `start`: 0 or errno. */
int sg_sampler_thread_start(void);
void sg_sampler_thread_stop(void);
void sg_sampler_thread_discard(void); /* in a forked child */

/* Work of a higher room: the thread calls `maintain` each time it wakes, which returns the time to
 * the next call in ns (0 = never), and `end` when it ends. At most one chore; any thread. */
struct sg_chore {
    uint64_t (*maintain)(void);
    void (*end)(void);
};
void sg_sampler_thread_set_chore(const struct sg_chore *chore);

/* The samplers that must know a thread soon after its start. While none of them is on, the writer's
 * scans are enough, and no scan is made at each start. */
enum sg_scan_reason { SG_SCANS_FOR_CPU = 1, SG_SCANS_FOR_WALL = 2, SG_SCANS_FOR_GIL = 4 };
/* Any thread. The first that wants scans gets one at once. */
void sg_sampler_thread_want_scans(enum sg_scan_reason reason, bool is_wanted);
/* A thread starts: request a scan, if any is wanted. Any thread. */
void sg_sampler_thread_request_scan(void);
/* Async-signal-safe. */
void sg_sampler_thread_wake(void);
/* Request another signal than `signo`, and wait until none of `signo` can come from the sampler, at
 * most half a second. Any thread but the engine's; the caller may hold the GIL. */
void sg_sampler_thread_request_other_signal(int signo);
/* Request that the calling thread gets no more signals, because it is about to block the signal or
 * to wait for it. Waits as the call above. */
void sg_sampler_thread_request_outside(void);
/* Report that the calling thread may have unblocked the signal. Does not wait. */
void sg_sampler_thread_request_return(void);

#endif
