/* Progress: does a foreign thread make progress, or does it sleep?
 *
 * A thread in the middle of an injected call may need long because the machine is busy: it runs, or
 * would run if a processor were free, or waits for a disk. Only a thread that sleeps may wait for a
 * lock, and may do so for ever. */
#ifndef STACKGLASS_INJECT_PROGRESS_H
#define STACKGLASS_INJECT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sg_progress {
    pid_t pid, thread;
    uint64_t run_ns; /* CPU time at the last call of sg_progress_is_made; 0 before */
};

/* Has the thread run since the last call (the first time: ever), or does it anything but sleep?
 * Returns false if it sleeps and has not run, or if its state cannot be read. */
bool sg_progress_is_made(struct sg_progress *progress);

/* Does the thread run, or would it run if a processor were free? */
bool sg_progress_wants_processor(pid_t pid, pid_t thread);

#endif
