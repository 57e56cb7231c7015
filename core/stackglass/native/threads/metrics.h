/* Metrics: the time that threads and tasks spend in each state, as running sums.
 *
 *     sampling at random moments ─▶ each thread's state × the time since the sample before
 *                                   each thread's wait for a processor, by the kernel's count
 *     job, GIL                   ─▶ tasks by state, number of arenas
 *     the collector's callbacks  ─▶ collections and their pauses (collector_pauses.h)
 *
 * Sampling threads takes at most a 500th of a processor, and so do the jobs, which hold the GIL for
 * some milliseconds at most. The writer owns the data, except while a job runs. */
#ifndef STACKGLASS_THREADS_METRICS_H
#define STACKGLASS_THREADS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "platform/vector.h"
#include "threads/collector_pauses.h"
#include "threads/task_counts.h"

enum { SG_N_METRIC_STATES = 5 }; /* SG_THREAD_UNKNOWN … SG_THREAD_IN_CALL */

/* The kernel's counts for a thread. */
struct sg_thread_turns {
    pid_t tid;             /* first: rows are sorted by it */
    uint64_t waited_ns, n; /* time waited for a processor; turns on one */
};
struct sg_turn_rows SG_ROWS_OF(struct sg_thread_turns);

struct sg_metrics {
    /* Sums since the first sample. */
    int64_t time_mono_ns; /* the last sample of threads; 0 = none yet */
    uint64_t n_looks;
    uint64_t thread_ns[SG_N_METRIC_STATES];
    uint64_t waited_ns, n_turns;
    int64_t task_time_mono_ns; /* the last sample of tasks; 0 = none yet */
    uint64_t task_ns[SG_N_TASK_STATES];
    bool are_tasks_whole;
    long n_arenas;                     /* now; -1 = not known */
    struct sg_collector_pauses pauses; /* at the last sample of threads */

    struct sg_turn_rows turns; /* at the last sample, sorted by tid */
    int64_t due_ns, job_due_ns;
};

/* Sample the threads, if a sample is due. Called by a thread with the engine's descriptor table. */
void sg_metrics_look(struct sg_metrics *metrics, int64_t now_mono_ns);
/* Return whether the job is due. */
bool sg_metrics_wants_job(const struct sg_metrics *metrics, int64_t now_mono_ns);
/* Find what the job needs, before it is posted; the caller need not hold the GIL. `is_last`: the
 * job only undoes what jobs before it have hooked. */
void sg_metrics_prepare_job(bool is_last);
/* Run the job: count tasks and arenas, and have collections counted. The caller holds the GIL. */
void sg_metrics_run_job(void);
/* Add the job's result to the sums; the last job has none. `held_ns` is the time for which the job
 * held the GIL. */
void sg_metrics_take_job(struct sg_metrics *metrics, uint64_t held_ns, int64_t now_mono_ns);
void sg_metrics_free(struct sg_metrics *metrics);

#endif
