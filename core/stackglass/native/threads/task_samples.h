/* Task samples: where suspended tasks of asyncio wait, as a part of the wall profile.
 *
 *     job, GIL: one look, in slices    every suspended task with its await chain
 *     writer: drain                    equal rows as one sample, for the time since the look before
 *
 * Looks come at random moments, four times a second at most, and take a hundredth of a processor,
 * with the GIL, at most. A look belongs to the thread that has the job. */
#ifndef STACKGLASS_THREADS_TASK_SAMPLES_H
#define STACKGLASS_THREADS_TASK_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/sample.h"

/* Whether a slice of a look is due, while the wall profile has this rate; 0 = off. By the writer,
 * while no job runs. */
bool sg_task_samples_are_due(unsigned wall_hz, int64_t now_mono_ns);
/* A slice of `budget_ns` of CPU time. Caller holds the GIL. */
void sg_task_samples_continue(int64_t budget_ns);
/* The CPU time of that slice. By the writer, after the job. */
void sg_task_samples_note_cost(uint64_t cpu_ns, int64_t now_mono_ns);
/* Deliver the look, if it has ended. By the writer. */
void sg_task_samples_drain(sg_sample_fn *deliver, void *context);
/* The profiling ends; no job runs. */
void sg_task_samples_close(void);
/* A forked child: its memory stays. */
void sg_task_samples_after_fork_in_child(void);

#endif
