/* Task samples: where suspended asyncio tasks wait, as a part of the wall profile.
 *
 *     job, GIL: one snapshot, in slices  every suspended task with its await chain
 *     writer: drain                      equal rows as one sample, for the time since the last one
 *
 * Snapshots come at random moments, at most four times a second on average, and hold the GIL for at
 * most a hundredth of a processor's time. The thread that has the job owns the snapshot. */
#ifndef STACKGLASS_THREADS_TASK_SAMPLES_H
#define STACKGLASS_THREADS_TASK_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/sample.h"

/* Return whether a slice of a snapshot is due. `wall_hz` is the rate of the wall profile; 0 = off.
 * The writer calls it while no job runs. */
bool sg_task_samples_are_due(unsigned wall_hz, int64_t now_mono_ns);
/* Take a slice of `budget_ns` of CPU time. The caller holds the GIL. */
void sg_task_samples_continue(int64_t budget_ns);
/* Note the CPU time of that slice. The writer calls it after the job. */
void sg_task_samples_note_cost(uint64_t cpu_ns, int64_t now_mono_ns);
/* Deliver the snapshot's samples, if it is complete. The writer calls it. */
void sg_task_samples_drain(sg_sample_fn *deliver, void *context);
/* End the profile. No job may run. */
void sg_task_samples_close(void);
/* Reset the state in a forked child, without freeing memory. */
void sg_task_samples_after_fork_in_child(void);

#endif
