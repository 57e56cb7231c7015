/* Integrals of states over time, by sampling: each sample adds, to the state of each thread, the
 * time since the sample before. Samples come at random moments, and a costly sample is followed by
 * a longer pause.
 *
 * The kernel's counts (wait for a processor, turns on one) are added as differences to the last
 * sample. If a thread's count has become smaller, its tid belongs to a new thread. */
#include "threads/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/thread_states.h"
#include "interpreter/arena_account.h"
#include "interpreter/debug_offsets.h"
#include "platform/futex_sleepers.h"
#include "platform/process_memory.h"
#include "platform/random_bits.h"
#include "platform/thread_ids.h"
#include "platform/time.h"
#include "tasks/asyncio_offsets.h"

enum {
    FIRST_MINOR_WITH_LARGE_POOLS = 10,
    FIRST_MINOR_WITH_RINGS = 14,
    NS_PER_MS = 1000 * 1000,
    LOOK_NS = 100 * NS_PER_MS, /* between samples, on average */
    JOB_NS = 1000 * NS_PER_MS, /* between jobs, on average */
    TASKS_NS = 2 * NS_PER_MS,  /* CPU time of a job for counting tasks */
    MOST_COST = 500,           /* samples, and jobs, take 1/MOST_COST of a processor at most */
};
/* Resident memory up to which arenas are counted. Counting visits each of the interpreter's pools,
 * which have 4 KiB up to 3.9 and 16 KiB since. */
static const uint64_t MOST_COUNTED_BYTES = UINT64_C(1) << 30;
static const uint64_t MOST_COUNTED_BYTES_SMALL_POOLS = UINT64_C(1) << 27;

/* The job's data, which the writer and the worker own in turn. */
static struct {
    struct sg_task_counts tasks;
    long n_arenas;
    int64_t taken_mono_ns;
    bool are_arenas_wanted, is_last;
} job;

/* ---- Threads ---- */

static const struct sg_thread_turns *find_turns(const struct sg_metrics *metrics, pid_t tid) {
    const struct sg_thread_turns key = {.tid = tid};
    return metrics->turns.n ? bsearch(&key, metrics->turns.at, metrics->turns.n, sizeof key,
                                      sg_thread_ids_compare)
                            : NULL;
}

/* Add a thread's counts since the last sample. If the thread is new, all its counts are added; at
 * the first sample nothing is. A tid may be reused: then the new counts are smaller. */
static void add_turns(struct sg_metrics *metrics, const struct sg_thread_turns *now) {
    const struct sg_thread_turns *before = find_turns(metrics, now->tid);
    bool is_same = before && now->waited_ns >= before->waited_ns && now->n >= before->n;
    if (!metrics->time_mono_ns)
        return;
    metrics->waited_ns += now->waited_ns - (is_same ? before->waited_ns : 0);
    metrics->n_turns += now->n - (is_same ? before->n : 0);
}

static void look_at(struct sg_metrics *metrics, const struct sg_sleeper *sleepers, size_t n,
                    uint64_t since_ns) {
    struct sg_turn_rows turns = {0};
    for (size_t i = 0; i < n; i++) {
        struct sg_thread_turns now = {.tid = sleepers[i].tid};
        metrics->thread_ns[sg_thread_states_of(&sleepers[i])] += since_ns;
        if (!sg_futex_sleepers_read_turns(now.tid, &now.waited_ns, &now.n))
            continue;
        add_turns(metrics, &now);
        (void)SG_ROWS_ADD(&turns, now);
    }
    if (turns.n)
        qsort(turns.at, turns.n, sizeof *turns.at, sg_thread_ids_compare);
    SG_ROWS_FREE(&metrics->turns);
    metrics->turns = turns;
}

/* Return a random pause, so that samples do not synchronise with a periodic program. */
static int64_t choose_rest_ns(int64_t usual_ns, uint64_t cost_ns) {
    int64_t rest_ns = usual_ns / 2 + (int64_t)(sg_random_bits() % (uint64_t)usual_ns);
    int64_t least_ns = (int64_t)(MOST_COST * cost_ns);
    return rest_ns > least_ns ? rest_ns : least_ns;
}

void sg_metrics_look(struct sg_metrics *metrics, int64_t now_mono_ns) {
    size_t n;
    if (now_mono_ns < metrics->due_ns)
        return;
    uint64_t began_ns = sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    struct sg_sleeper *sleepers = sg_futex_sleepers_list(&n);
    int64_t since_ns = metrics->time_mono_ns ? now_mono_ns - metrics->time_mono_ns : 0;
    look_at(metrics, sleepers, n, (uint64_t)since_ns);
    free(sleepers);
    metrics->pauses = sg_collector_pauses_read();
    metrics->time_mono_ns = now_mono_ns;
    metrics->n_looks++;
    metrics->due_ns =
        now_mono_ns + choose_rest_ns(LOOK_NS, sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns);
}

/* ---- Tasks and arenas ---- */

bool sg_metrics_wants_job(const struct sg_metrics *metrics, int64_t now_mono_ns) {
    return now_mono_ns >= metrics->job_due_ns;
}

void sg_metrics_prepare_job(bool is_last) {
    job.is_last = is_last;
    if (is_last)
        return;
    if (sg_debug_offsets.minor >= FIRST_MINOR_WITH_RINGS)
        sg_asyncio_offsets_search();
    uint64_t resident_bytes = sg_process_memory_resident_bytes();
    uint64_t most_bytes = sg_debug_offsets.minor < FIRST_MINOR_WITH_LARGE_POOLS
                              ? MOST_COUNTED_BYTES_SMALL_POOLS
                              : MOST_COUNTED_BYTES;
    job.are_arenas_wanted = resident_bytes && resident_bytes <= most_bytes;
}

void sg_metrics_run_job(void) {
    int64_t now_ns = (int64_t)sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (job.is_last) {
        sg_collector_pauses_close();
        return;
    }
    sg_collector_pauses_open();
    sg_thread_states_prepare();
    job.tasks = sg_task_counts_take(now_ns + TASKS_NS);
    job.n_arenas = job.are_arenas_wanted ? sg_arena_account_count() : -1;
    job.taken_mono_ns = sg_time_mono_ns();
}

void sg_metrics_take_job(struct sg_metrics *metrics, uint64_t held_ns, int64_t now_mono_ns) {
    if (job.is_last)
        return;
    int64_t before_ns = metrics->task_time_mono_ns;
    uint64_t since_ns = before_ns ? (uint64_t)(job.taken_mono_ns - before_ns) : 0;
    for (int state = 0; state < SG_N_TASK_STATES; state++)
        metrics->task_ns[state] += job.tasks.n[state] * since_ns;
    metrics->are_tasks_whole = job.tasks.is_whole;
    metrics->n_arenas = job.n_arenas;
    metrics->task_time_mono_ns = job.taken_mono_ns;
    metrics->job_due_ns = now_mono_ns + choose_rest_ns(JOB_NS, held_ns);
}

void sg_metrics_free(struct sg_metrics *metrics) {
    SG_ROWS_FREE(&metrics->turns);
    memset(metrics, 0, sizeof *metrics);
}
