/* Snapshot: the stacks of all threads, read by one of them with the GIL held. */
#ifndef STACKGLASS_CPU_SNAPSHOT_H
#define STACKGLASS_CPU_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpu/sample.h"

/* Deliver the stack of every Python thread, leaf first. Needs the GIL. */
void sg_snapshot_all(sg_sample_fn *deliver, void *context);

/* Compare a walk of the calling thread with the frames that Python reports; NULL, or what differs.
 * Needs the GIL; called from Python code. */
const char *sg_snapshot_self_check(void);

/* The system's id of the thread that a thread state belongs to; 0 = not known. Needs the GIL. */
pid_t sg_snapshot_tid(const void *thread);

/* The same of the engine's interpreter, with the thread's CPU time; SG_NO_CPU_CLOCK = not known. */
pid_t sg_snapshot_tid_at_home(const void *thread, uint64_t *cpu_ns);

/* The frames of a thread, a PyThreadState, leaf first: (depth,), good until the next walk. Needs
 * the GIL, and an sg_walk_new_epoch since that was taken. */
enum sg_walked { SG_WALK_OWN, SG_WALK_FOREIGN /* of another interpreter */, SG_WALK_WAITER };
const struct sg_frame *sg_snapshot_walk(const void *thread, enum sg_walked what, uint32_t *depth);

#endif
