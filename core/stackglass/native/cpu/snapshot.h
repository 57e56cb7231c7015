/* Snapshot: the stacks of all Python threads at one moment. One thread reads them while it holds
 * the GIL, so no other thread of its interpreter runs Python code meanwhile. */
#ifndef STACKGLASS_CPU_SNAPSHOT_H
#define STACKGLASS_CPU_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpu/sample.h"

/* Deliver the stack of every Python thread, leaf first. Needs the GIL. */
void sg_snapshot_all(sg_sample_fn *deliver, void *context);

/* Self-check: walk the calling thread, and compare the result with the frames that Python reports.
 * Returns NULL, or what differs. Needs the GIL; called from Python code. */
const char *sg_snapshot_self_check(void);

/* Return the system's id of the thread that a thread state belongs to; 0 = not known. Needs the
 * GIL. */
pid_t sg_snapshot_tid(const void *thread);

/* The same for a thread of the engine's interpreter; `*cpu_ns` gets its CPU time, SG_NO_CPU_CLOCK =
 * not known. */
pid_t sg_snapshot_tid_at_home(const void *thread, uint64_t *cpu_ns);

enum sg_walked {
    SG_WALK_OWN,     /* a thread of the engine's interpreter */
    SG_WALK_FOREIGN, /* a thread of another interpreter, which may have a GIL of its own */
    SG_WALK_WAITER,  /* like OWN, but the thread waits in a call: its frames are complete */
};
/* Return the frames of a PyThreadState, leaf first: (depth,), valid until the next walk. Needs the
 * GIL, and a call of sg_walk_new_epoch since the GIL was taken. */
const struct sg_frame *sg_snapshot_walk(const void *thread, enum sg_walked what, uint32_t *depth);

#endif
