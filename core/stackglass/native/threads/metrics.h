/* Metrics: what threads and tasks do, as sums of time.
 *
 *     looks at random moments ─▶ each thread's state × the time since the look before
 *                                each thread's wait for a processor, by the kernel's count
 *     job, GIL                ─▶ tasks by state, arenas
 *
 * Looks at threads take a 500th of a processor at most, and so do jobs, which hold the GIL for some
 * milliseconds at most. Owned by the writer, but for the job's part. */
#ifndef STACKGLASS_THREADS_METRICS_H
#define STACKGLASS_THREADS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "platform/vector.h"
#include "threads/task_counts.h"

enum { SG_N_METRIC_STATES = 5 }; /* SG_THREAD_UNKNOWN … SG_THREAD_IN_CALL */

/* What the kernel has counted of a thread. */
struct sg_thread_turns {
    pid_t tid;             /* first: rows are sorted by it */
    uint64_t waited_ns, n; /* for a processor; turns on one */
};
struct sg_turn_rows SG_ROWS_OF(struct sg_thread_turns);

struct sg_metrics {
    /* Sums since the first look. */
    int64_t time_mono_ns; /* the last look at threads; 0 = none yet */
    uint64_t n_looks;
    uint64_t thread_ns[SG_N_METRIC_STATES];
    uint64_t waited_ns, n_turns;
    int64_t task_time_mono_ns; /* the last look at tasks; 0 = none yet */
    uint64_t task_ns[SG_N_TASK_STATES];
    bool are_tasks_whole;
    long n_arenas; /* now; -1 = not known */

    struct sg_turn_rows turns; /* at the last look, by tid */
    int64_t due_ns, job_due_ns;
};

/* Look at the threads, if a look is due. Called by a thread with the engine's descriptor table. */
void sg_metrics_look(struct sg_metrics *metrics, int64_t now_mono_ns);
/* Whether the job is due. */
bool sg_metrics_wants_job(const struct sg_metrics *metrics, int64_t now_mono_ns);
/* Find what the job needs, before it is posted. */
void sg_metrics_prepare_job(void);
/* The job. Caller holds the GIL. */
void sg_metrics_run_job(void);
/* Take its result; `held_ns`: for how long it had the GIL. */
void sg_metrics_take_job(struct sg_metrics *metrics, uint64_t held_ns, int64_t now_mono_ns);
void sg_metrics_free(struct sg_metrics *metrics);

#endif
