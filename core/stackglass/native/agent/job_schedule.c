/* Job schedule: the table JOBS lists all jobs, the most urgent first, each with two functions.
 *
 *     begin_X   returns whether the job X is due, and sets its arguments in sg_gil_worker.job
 *     finish_X  uses its result, after the stream has taken what it sends to clients
 *
 * A time that is set to 0, such as heap_due_ns or sent_ns, makes what it schedules happen at the
 * writer's next turn. */
#include "agent/job_schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/contention_control.h"
#include "agent/heap_control.h"
#include "agent/phases.h"
#include "agent/trace_control.h"
#include "asyncio/hooks.h"
#include "cpu/cpu.h"
#include "heap/heap.h"
#include "lock_names/lock_names.h"
#include "platform/permitted_calls.h"
#include "platform/process_memory.h"
#include "platform/time.h"
#include "tasks/asyncio_offsets.h"
#include "tasks/running.h"
#include "threads/births.h"
#include "threads/task_samples.h"
#include "waits/snapshot.h"
#include "worker/gil_worker.h"

enum { THREADS_SOON_NS = 200 * 1000 * 1000 }; /* between THREADS jobs while a name is missing */

/* ---- Hooks ---- */

static void finish_hook(struct sg_hook *hook) {
    const char *problem = sg_gil_worker.job.problem;
    hook->state = *problem ? SG_HOOK_REFUSED : SG_HOOK_ON;
    hook->start_ns = *problem ? 0 : sg_time_mono_ns();
    snprintf(hook->problem, sizeof hook->problem, "%s", problem);
}

static bool begin_heap(struct sg_writer *writer, int64_t now_ns) {
    if (writer->heap.state != SG_HOOK_WANTED)
        return false;
    writer->before_attach_bytes = sg_process_memory_resident_bytes();
    return true;
}

static void finish_heap(struct sg_writer *writer, int64_t now_ns) {
    finish_hook(&writer->heap);
    writer->heap_due_ns = 0;
    /* Native blocks belong to the heap profile or a memory trace; here there is neither. */
    if (writer->heap.state == SG_HOOK_REFUSED && writer->native.state == SG_HOOK_WANTED &&
        !writer->is_trace_native)
        writer->native.state = SG_HOOK_OFF;
    if (writer->phase != PROFILING)
        return;
    sg_heap_set_rate(writer->heap_rate);
    sg_heap_control_record_native(writer);
    sg_phases_check_profiling(writer);
}

static bool begin_native(struct sg_writer *writer, int64_t now_ns) {
    return writer->native.state == SG_HOOK_WANTED;
}

static void finish_native(struct sg_writer *writer, int64_t now_ns) {
    finish_hook(&writer->native);
    writer->heap_due_ns = 0;
    sg_heap_control_record_native(writer);
    sg_trace_control_record_native(writer);
    sg_phases_check_profiling(writer);
}

static bool begin_locks(struct sg_writer *writer, int64_t now_ns) {
    return writer->locks.state == SG_HOOK_WANTED;
}

static void finish_locks(struct sg_writer *writer, int64_t now_ns) {
    finish_hook(&writer->locks);
    memcpy(writer->locks_problem, sg_gil_worker.job.locks_problem, sizeof writer->locks_problem);
    writer->contention_due_ns = 0;
    if (writer->phase != PROFILING)
        return;
    sg_contention_control_start(writer);
    sg_phases_check_profiling(writer);
}

static bool begin_trace(struct sg_writer *writer, int64_t now_ns) {
    return writer->trace.state == SG_HOOK_WANTED;
}

static void finish_trace(struct sg_writer *writer, int64_t now_ns) {
    sg_trace_control_finish_begin(writer, sg_gil_worker.job.problem);
    if (writer->phase != PROFILING)
        sg_trace_control_stop(writer);
    sg_phases_check_profiling(writer);
}

static void finish_trace_end(struct sg_writer *writer, int64_t now_ns) {
    sg_trace_control_finish_end(writer);
}

/* ---- Other jobs ---- */

static bool begin_asyncio(struct sg_writer *writer, int64_t now_ns) {
    return sg_asyncio_hooks_are_due(now_ns);
}

static bool begin_collect(struct sg_writer *writer, int64_t now_ns) {
    bool is_due = writer->is_collect_requested;
    writer->is_collect_requested = false;
    return is_due;
}

static void finish_collect(struct sg_writer *writer, int64_t now_ns) {
    writer->n_collects++;
    writer->heap_due_ns = 0;
}

/* Find asyncio's fields, if they are wanted, for the job that is about to be posted. */
static void search_asyncio(void) {
    if (sg_running_tasks_want_offsets())
        sg_asyncio_offsets_search();
}

static bool begin_names(struct sg_writer *writer, int64_t now_ns) {
    struct sg_job *job = &sg_gil_worker.job;
    search_asyncio();
    job->n_codes = 0;
    while (job->n_codes < SG_MOST_JOB_CODES &&
           sg_stacks_take_requested(&writer->stream.stacks, &job->codes[job->n_codes].id, 1))
        job->n_codes++;
    return job->n_codes != 0;
}

static bool begin_births(struct sg_writer *writer, int64_t now_ns) {
    return sg_births_are_due(now_ns);
}

static bool begin_labels(struct sg_writer *writer, int64_t now_ns) {
    sg_gil_worker.job.first_label_set = writer->stream.label_sets.end;
    return sg_stream_wants_labels(&writer->stream);
}

static bool begin_snapshot(struct sg_writer *writer, int64_t now_ns) {
    return sg_stream_wants_snapshot(&writer->stream, &writer->clients);
}

static bool begin_dump(struct sg_writer *writer, int64_t now_ns) {
    bool are_locks_decided =
        writer->locks.state == SG_HOOK_ON || writer->locks.state == SG_HOOK_REFUSED;
    sg_gil_worker.job.wants_names = !writer->stream.thread_dump.has_sent;
    return sg_thread_dump_stream_continues(&writer->stream.thread_dump, &writer->clients,
                                           are_locks_decided);
}

/* Samples of suspended tasks belong to the wall profile, which needs the program's threads to be
 * watched. */
static bool begin_task_samples(struct sg_writer *writer, int64_t now_ns) {
    bool is_watched = !*sg_cpu_watch_problem();
    return sg_task_samples_are_due(is_watched ? writer->arguments.wall_hz : 0, now_ns);
}

static bool begin_metrics(struct sg_writer *writer, int64_t now_ns) {
    return sg_metrics_stream_wants_job(&writer->stream.metrics, &writer->clients, now_ns);
}

static bool is_waits_snapshot_wanted(struct sg_writer *writer) {
    return writer->phase == PROFILING && writer->locks.state == SG_HOOK_ON &&
           !*writer->locks_problem &&
           sg_lock_waits_stream_wants(&writer->stream.lock_waits, &writer->clients);
}

static bool begin_lock_waits(struct sg_writer *writer, int64_t now_ns) {
    bool is_due = is_waits_snapshot_wanted(writer);
    if (is_due && !sg_waits_snapshot_is_begun())
        sg_waits_snapshot_begin();
    return is_due;
}

static void finish_lock_waits(struct sg_writer *writer, int64_t now_ns) {
    writer->contention_due_ns = 0; /* the locks are sent first: the snapshot refers to them */
    if (writer->stream.lock_waits.is_ready)
        writer->sent_ns = 0; /* a client is waiting for the snapshot */
}

static bool begin_threads(struct sg_writer *writer, int64_t now_ns) {
    int64_t since_ns = now_ns - writer->threads_ns;
    bool is_due =
        writer->clients.n && (since_ns >= THREADS_AGAIN_NS ||
                              (writer->stream.threads.nameless.n && since_ns >= THREADS_SOON_NS) ||
                              writer->stream.threads.is_urgent);
    if (!is_due)
        return false;
    writer->threads_ns = now_ns;
    search_asyncio();
    return true;
}

/* If the engine has run from the program's first line, or since a fork, the program's name is known
 * only later. */
static void take_late_name(struct sg_job *job) {
    if (job->late_name && *job->late_name) {
        free(job->interpreter.process_name);
        job->interpreter.process_name = job->late_name;
    } else {
        free(job->late_name);
    }
    job->late_name = NULL;
}

static void finish_threads(struct sg_writer *writer, int64_t now_ns) {
    take_late_name(&sg_gil_worker.job);
    sg_thread_names_ask_system(&writer->stream.threads, writer->job_ns);
    if (writer->stream.threads.is_urgent)
        writer->sent_ns = 0;
    writer->stream.threads.is_urgent = false;
}

static bool begin_census(struct sg_writer *writer, int64_t now_ns) {
    return sg_census_stream_wants(&writer->stream.census, &writer->stream.heap, &writer->clients);
}

static void finish_census(struct sg_writer *writer, int64_t now_ns) {
    if (writer->stream.census.is_ready)
        writer->heap_due_ns = 0; /* the buckets are sent first: the census refers to them */
}

static void finish_lock_names(struct sg_writer *writer, int64_t now_ns) {
    if (writer->has_stream)
        sg_contention_control_take_names(writer, now_ns);
    if (!sg_lock_names_are_open()) /* the search has ended: clients are waiting for its result */
        writer->contention_due_ns = writer->sent_ns = 0;
}

/* The last search before a client leaves is complete, so that the client has the names of all that
 * it has received. */
static bool begin_function_names(struct sg_writer *writer, int64_t now_ns) {
    bool is_last = writer->phase == NAMING || writer->deadline_ns;
    for (size_t i = 0; i < writer->clients.n; i++)
        is_last |= writer->clients.at[i]->deadline_ns != 0;
    return sg_known_functions_continue(&writer->stream.known, &writer->stream.stacks.native_names,
                                       now_ns, is_last);
}

static bool begin_withdraw(struct sg_writer *writer, int64_t now_ns) {
    return writer->phase == WITHDRAWING;
}

static void finish_withdraw(struct sg_writer *writer, int64_t now_ns) {
    writer->is_withdrawn = !*sg_gil_worker.job.problem;
    sg_phases_part(writer, now_ns);
}

static void finish_prepare(struct sg_writer *writer, int64_t now_ns) {
    sg_phases_finish_preparing(writer, now_ns);
    if (writer->has_stream) /* sg_phases_finish_preparing has opened it */
        sg_stream_take_results(&writer->stream, &sg_gil_worker.job);
    if (writer->phase == PARTING) { /* PREPARE failed: there is nothing to withdraw */
        writer->is_withdrawn = true;
        sg_phases_part(writer, now_ns);
    }
}

/* Most urgent first. LABELS is listed twice: before NAME while NAMING, after it while PROFILING. */
static const struct {
    enum sg_job_kind kind;
    enum sg_phase first, last; /* phases in which it may be posted */
    bool (*begin)(struct sg_writer *writer, int64_t now_ns);
    void (*finish)(struct sg_writer *writer, int64_t now_ns); /* NULL = nothing to do */
} JOBS[] = {
    {SG_JOB_PREPARE, DONE, DONE, NULL, finish_prepare}, /* posted by sg_job_schedule_begin alone */
    {SG_JOB_WITHDRAW, WITHDRAWING, WITHDRAWING, begin_withdraw, finish_withdraw},
    {SG_JOB_HEAP, PROFILING, PROFILING, begin_heap, finish_heap},
    {SG_JOB_NATIVE, PROFILING, PROFILING, begin_native, finish_native},
    {SG_JOB_LOCKS, PROFILING, PROFILING, begin_locks, finish_locks},
    {SG_JOB_TRACE, PROFILING, PROFILING, begin_trace, finish_trace},
    {SG_JOB_TRACE_END, PROFILING, PROFILING, sg_trace_control_ends, finish_trace_end},
    {SG_JOB_ASYNCIO, PROFILING, PROFILING, begin_asyncio, NULL}, /* before a stall ends */
    {SG_JOB_OTHER, PROFILING, PROFILING, sg_contention_control_wants_others, NULL},
    {SG_JOB_BIRTHS, PROFILING, PROFILING, begin_births, NULL},
    {SG_JOB_COLLECT, PROFILING, PROFILING, begin_collect, finish_collect},
    {SG_JOB_LABELS, NAMING, NAMING, begin_labels, NULL}, /* short, and needed at the exit */
    /* has a deadline at the end of a trace */
    {SG_JOB_TRACE_TYPES, PROFILING, PROFILING, sg_trace_control_reads_types, NULL},
    {SG_JOB_NAME, PROFILING, NAMING, begin_names, NULL},
    /* may wait: new sets can come all the time */
    {SG_JOB_LABELS, PROFILING, PROFILING, begin_labels, NULL},
    {SG_JOB_FUNCTION_NAMES, PROFILING, NAMING, begin_function_names, NULL},
    {SG_JOB_SNAPSHOT, PROFILING, PROFILING, begin_snapshot, NULL},
    {SG_JOB_DUMP, PROFILING, PROFILING, begin_dump, NULL},
    {SG_JOB_TASK_SAMPLES, PROFILING, PROFILING, begin_task_samples, NULL},
    {SG_JOB_METRICS, PROFILING, PROFILING, begin_metrics, NULL},
    {SG_JOB_LOCK_WAITS, PROFILING, PROFILING, begin_lock_waits, finish_lock_waits},
    {SG_JOB_THREADS, PROFILING, PROFILING, begin_threads, finish_threads},
    {SG_JOB_CENSUS, PROFILING, PROFILING, begin_census, finish_census},
    {SG_JOB_LOCK_NAMES, PROFILING, PROFILING, sg_contention_control_wants_names, finish_lock_names},
};
enum { N_JOBS = sizeof JOBS / sizeof *JOBS };

static void post(struct sg_writer *writer, enum sg_job_kind kind) {
    writer->is_job_posted = true;
    writer->job_ns = sg_time_mono_ns();
    sg_gil_worker.job.start_mono_ns = writer->start_mono_ns;
    sg_gil_worker.job.stack_depth = writer->arguments.stack_depth;
    sg_permitted_calls_check_at(writer->job_ns);
    sg_gil_worker_post(kind);
}

void sg_job_schedule_begin(struct sg_writer *writer) { post(writer, SG_JOB_PREPARE); }

void sg_job_schedule_post_next(struct sg_writer *writer, int64_t now_ns) {
    if (writer->is_job_posted || writer->phase >= PARTING)
        return;
    if (sg_waits_snapshot_is_begun() && !is_waits_snapshot_wanted(writer))
        sg_waits_snapshot_end(); /* no client wants the snapshot any more */
    for (int i = 0; i < N_JOBS; i++)
        if (writer->phase >= JOBS[i].first && writer->phase <= JOBS[i].last &&
            JOBS[i].begin(writer, now_ns)) {
            post(writer, JOBS[i].kind);
            return;
        }
}

void sg_job_schedule_finish(struct sg_writer *writer, int64_t now_ns) {
    struct sg_job *job = &sg_gil_worker.job;
    if (!writer->is_job_posted)
        return;
    if (sg_gil_worker_is_busy()) {
        sg_permitted_calls_check_at(now_ns); /* the program runs until the worker has the GIL */
        sg_gil_worker_request_gil();
        if (writer->phase == PROFILING || writer->phase == NAMING)
            sg_stream_name_without_gil(&writer->stream, sg_gil_worker_gil_wait_ns());
        return;
    }
    writer->is_job_posted = false;
    if (writer->has_stream)
        sg_stream_take_results(&writer->stream, job);
    for (int i = 0; i < N_JOBS; i++)
        if (JOBS[i].kind == job->kind && JOBS[i].finish)
            JOBS[i].finish(writer, now_ns);
}
