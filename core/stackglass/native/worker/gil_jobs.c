/* A table (RUN) with one function for each job. A job runs once or in slices. A slice stops when
 * its time is over and notes whether the job is done; otherwise the writer posts the next slice.
 * From 3.10 on the collector is off during a job other than a collection, so that no finalizer of
 * the program runs in the middle of one.
 *
 * `withdraw` undoes everything. If hooks of the memory trace lie below the heap's hooks, they are
 * removed after the heap's. */
#include "worker/gil_jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asyncio/hooks.h"
#include "census/census.h"
#include "contention/contention.h"
#include "cpu/self_check.h"
#include "cpu/snapshot.h"
#include "cpu/thread_states.h"
#include "frames/function_names.h"
#include "gil/sampling.h"
#include "heap/heap.h"
#include "interpreter/arena_account.h"
#include "interpreter/calling_thread.h"
#include "interpreter/interpreters.h"
#include "labels/labels.h"
#include "lock_names/lock_names.h"
#include "locks/blocking_calls.h"
#include "locks/hooks.h"
#include "platform/time.h"
#include "platform/vector.h"
#include "tasks/running.h"
#include "threads/collector_pauses.h"
#include "threads/creations.h"
#include "threads/dump_greenlets.h"
#include "threads/metrics.h"
#include "threads/task_creations.h"
#include "threads/task_samples.h"
#include "threads/thread_dump.h"
#include "trace/trace.h"
#include "waits/snapshot.h"
#include "worker/code_names.h"
#include "worker/collection.h"
#include "worker/exit_hook.h"
#include "worker/fork_warning.h"
#include "worker/program_facts.h"

enum {
    /* Budgets of a slice. A slice may hold the GIL longer than its budget: at most 5 ms, 5 ms and 1
     * ms, plus the time that it waits for a processor. */
    SLICE_NS = 1000 * 1000,      /* census; tasks of the wall profile; types of the memory trace */
    DUMP_SLICE_NS = 4500 * 1000, /* dump of threads and tasks */
    NAMES_SLICE_NS = 350 * 1000, /* searches for names; waits-for snapshot */
};

static const char *hook_interpreter(void) {
    const char *problem = sg_cpu_prepare();
    if (problem)
        return problem;
    problem = sg_self_check();
    if (!problem && sg_exit_hook())
        problem = "the engine cannot register for the exit of the interpreter (atexit)";
    if (problem) {
        sg_cpu_unprepare(true);
        return problem;
    }
    sg_fork_warning_hook();
    sg_creations_open();
    sg_task_creations_open();
    sg_thread_states_prepare();
    return NULL;
}

/* Store the job's problem; NULL = none. Returns whether there is one. */
static bool keep_problem(struct sg_job *job, const char *problem) {
    snprintf(job->problem, sizeof job->problem, "%s", problem ? problem : "");
    return problem;
}

static void prepare(struct sg_job *job, struct sg_paths *paths) {
    if (keep_problem(job, hook_interpreter()))
        return;
    sg_program_facts_learn(&job->interpreter);
    sg_arena_account_prepare();
    sg_program_facts_learn_threads(job);
    sg_labels_learn();
    sg_running_tasks_learn();
    sg_module_names_learn_paths(paths);
}

static void keep_stack(void *context, const struct sg_sample *sample) {
    struct sg_job *job = context;
    size_t size = sample->depth * sizeof *sample->frames;
    struct sg_frame *frames = malloc(size ? size : 1);
    const struct sg_stack stack = {sample->tid, sample->labels, sample->depth, frames};
    if (frames && SG_ROWS_ADD(&job->stacks, stack))
        memcpy(frames, sample->frames, size);
    else
        free(frames);
}

static void withdraw(struct sg_job *job, struct sg_paths *paths) {
    sg_exit_hook_disable();
    sg_fork_warning_unhook();
    sg_census_abandon();
    sg_dump_greenlets_abandon();
    sg_lock_names_abandon();
    sg_asyncio_hooks_close();
    sg_blocking_calls_request(false);
    sg_blocking_calls_maintain();
    sg_waits_snapshot_unprepare();
    sg_lock_hooks_remove();
    sg_collector_pauses_close();
    sg_contention_unprepare();
    sg_trace_end();
    sg_heap_unprepare();
    sg_trace_unhook(); /* hooks that were below the heap's */
    sg_creations_close();
    sg_task_creations_close();
    sg_cpu_unprepare(sg_trace_settle());
    sg_labels_forget();
    sg_running_tasks_forget();
}

/* A program that imports asyncio has new code to name, so tasks that it creates soon afterwards are
 * recorded. */
static void name_codes(struct sg_job *job, struct sg_paths *paths) {
    sg_task_creations_learn();
    sg_code_names_copy(job, paths);
}

static void collect(struct sg_job *job, struct sg_paths *paths) { sg_collection_run(); }

static void prepare_heap(struct sg_job *job, struct sg_paths *paths) {
    keep_problem(job, sg_heap_prepare(job->start_mono_ns, job->stack_depth));
}

static void begin_trace(struct sg_job *job, struct sg_paths *paths) {
    keep_problem(job, sg_trace_begin(job->start_mono_ns, job->stack_depth));
}

static void read_trace_types(struct sg_job *job, struct sg_paths *paths) {
    sg_trace_read_types(SLICE_NS);
}

static void end_trace(struct sg_job *job, struct sg_paths *paths) { sg_trace_end(); }

/* Allocate the tables, unless an earlier source of waits has done so. */
static const char *prepare_contention(const struct sg_job *job) {
    struct sg_contention_status status;
    sg_contention_status(&status);
    return status.is_prepared ? NULL : sg_contention_prepare(job->start_mono_ns, job->stack_depth);
}

static void hook_locks(struct sg_job *job, struct sg_paths *paths) {
    if (keep_problem(job, prepare_contention(job)))
        return;
    bool is_new = !sg_lock_hooks_are_installed();
    sg_lock_names_prepare();
    const char *problem = sg_lock_hooks_install();
    if (problem) /* the rest of contention works without locks */
        snprintf(job->locks_problem, sizeof job->locks_problem, "%s", problem);
    else if (is_new)
        sg_waits_snapshot_prepare();
    sg_gil_sampling_prepare(sg_contention_record_gil); /* its status has the reason if that fails */
    sg_asyncio_hooks_open();
    sg_blocking_calls_maintain();
}

static void keep_wait(void *context, const struct sg_lock_waiter *wait) {
    struct sg_job *job = context;
    (void)SG_ROWS_ADD(&job->lock_waits, *wait);
}

static void take_snapshot(struct sg_job *job, struct sg_paths *paths) {
    job->taken_mono_ns = sg_time_mono_ns();
    sg_snapshot_all(keep_stack, job);
}

static void learn_threads(struct sg_job *job, struct sg_paths *paths) {
    const char *name = job->interpreter.process_name;
    sg_program_facts_learn_threads(job);
    if (!name || !*name)
        job->late_name = sg_program_facts_find_process_name();
    sg_labels_learn();
    sg_running_tasks_learn();
    sg_calling_thread_count_interpreters(sg_interpreters_count());
    sg_heap_check_hooks(); /* this job comes at least every two seconds; status has the outcome */
    sg_trace_check_hooks();
    sg_lock_hooks_learn();
    sg_contention_learn();
    sg_task_creations_learn();
    sg_asyncio_hooks_check();
}

static void look_for_births(struct sg_job *job, struct sg_paths *paths) { sg_creations_look(); }

static void define_labels(struct sg_job *job, struct sg_paths *paths) {
    sg_label_definitions_copy(job->first_label_set, &job->labels);
}

static void continue_waits_snapshot(struct sg_job *job, struct sg_paths *paths) {
    if (sg_waits_snapshot_continue(NAMES_SLICE_NS)) {
        job->taken_mono_ns = sg_time_mono_ns();
        sg_waits_snapshot_publish(keep_wait, keep_stack, job);
    }
}

/* If other threads run, each job waits up to 5 ms for the GIL. Most code of a first dump has no
 * name yet, so a short dump is named in the same job: reading and naming together stay far below
 * the limit of a slice. Code that is left over is named as usual. */
static void continue_thread_dump(struct sg_job *job, struct sg_paths *paths) {
    if (!sg_thread_dump_continue(DUMP_SLICE_NS) || !job->wants_names)
        return;
    sg_code_id ids[SG_MOST_JOB_CODES];
    job->n_codes = sg_thread_dump_list_codes_if_short(ids, SG_MOST_JOB_CODES);
    for (size_t i = 0; i < job->n_codes; i++)
        job->codes[i].id = ids[i];
    sg_code_names_copy(job, paths);
}

static void continue_task_samples(struct sg_job *job, struct sg_paths *paths) {
    sg_task_samples_continue(SLICE_NS);
}

static void take_metrics(struct sg_job *job, struct sg_paths *paths) { sg_metrics_run_job(); }

static void maintain_blocking_calls(struct sg_job *job, struct sg_paths *paths) {
    sg_blocking_calls_maintain();
}

static void continue_lock_names(struct sg_job *job, struct sg_paths *paths) {
    sg_lock_names_go_on(NAMES_SLICE_NS, UINT64_MAX);
}

static void continue_function_names(struct sg_job *job, struct sg_paths *paths) {
    sg_function_names_continue(NAMES_SLICE_NS);
}

static void maintain_asyncio(struct sg_job *job, struct sg_paths *paths) {
    sg_asyncio_hooks_maintain();
}

static void continue_census(struct sg_job *job, struct sg_paths *paths) {
    sg_census_go_on(SLICE_NS, UINT64_MAX);
}

/* NULL = a job without the GIL (gil_worker.c). */
static void (*const RUN[SG_N_JOBS])(struct sg_job *job, struct sg_paths *paths) = {
    [SG_JOB_PREPARE] = prepare,
    [SG_JOB_NAME] = name_codes,
    [SG_JOB_THREADS] = learn_threads,
    [SG_JOB_BIRTHS] = look_for_births,
    [SG_JOB_LABELS] = define_labels,
    [SG_JOB_SNAPSHOT] = take_snapshot,
    [SG_JOB_HEAP] = prepare_heap,
    [SG_JOB_LOCKS] = hook_locks,
    [SG_JOB_LOCK_WAITS] = continue_waits_snapshot,
    [SG_JOB_DUMP] = continue_thread_dump,
    [SG_JOB_TASK_SAMPLES] = continue_task_samples,
    [SG_JOB_METRICS] = take_metrics,
    [SG_JOB_LOCK_NAMES] = continue_lock_names,
    [SG_JOB_FUNCTION_NAMES] = continue_function_names,
    [SG_JOB_OTHER] = maintain_blocking_calls,
    [SG_JOB_ASYNCIO] = maintain_asyncio,
    [SG_JOB_CENSUS] = continue_census,
    [SG_JOB_TRACE] = begin_trace,
    [SG_JOB_TRACE_TYPES] = read_trace_types,
    [SG_JOB_TRACE_END] = end_trace,
    [SG_JOB_COLLECT] = collect,
    [SG_JOB_WITHDRAW] = withdraw,
};

void sg_gil_jobs_run(struct sg_job *job, struct sg_paths *paths) {
    /* finalizers run in a collection: the program may change the switch meanwhile */
    bool was_enabled = job->kind != SG_JOB_COLLECT && sg_collection_pause();
    if (RUN[job->kind])
        RUN[job->kind](job, paths);
    if (was_enabled)
        sg_collection_resume();
}
