/* How the worker runs a job:
 *
 *     wait for the interpreter ──▶ take the GIL alone ──▶ run the job ──▶ release the GIL
 *
 * "Alone" means: jobs allocate Python objects, and the GIL guards the object allocator only if no
 * interpreter with its own GIL shares it (obmalloc_sharing.h). So the worker takes the GIL at a
 * moment at which no such interpreter exists and none can be created:
 *
 *     none was seen lately ─▶ take_gil, check ──none─▶ alone
 *                                 └─one─▶ release it, retry below
 *     one was seen         ─▶ retry: take the GIL from the main thread's pending call, during which
 *                             it creates no interpreter; or wait until none was seen lately */
#include "worker/gil_worker.h"

#include <Python.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "census/census.h"
#include "cpu/cpu.h"
#include "frames/function_names.h"
#include "gil/sampling.h"
#include "gil/waits.h"
#include "interpreter/obmalloc_sharing.h"
#include "interpreter/python_symbols.h"
#include "lock_names/lock_names.h"
#include "native_memory/native_alloc.h"
#include "platform/futex.h"
#include "platform/time.h"
#include "threads/task_samples.h"
#include "threads/thread_dump.h"
#include "waits/snapshot.h"
#include "worker/fork_warning.h"
#include "worker/gil_access.h"
#include "worker/gil_handover.h"
#include "worker/gil_jobs.h"
#include "worker/interpreter_end.h"

enum {
    UNINITIALIZED_NS = 2 * 1000 * 1000, /* between checks whether the interpreter is initialized */
    RETRY_NS = 1000 * 1000,             /* between tries to take the GIL alone */
};
static const int64_t LATELY_NS = INT64_C(2) * 1000 * 1000 * 1000;

struct sg_gil_worker sg_gil_worker; /* the owner changes with the job: see gil_worker.h */

/* Lock-free. */
static _Atomic bool is_posted;           /* true from post until the job is done */
static _Atomic bool is_ending;           /* the worker's thread is to return */
static _Atomic bool is_initialized;      /* Python code has called the engine; never reset */
static _Atomic int64_t waiting_since_ns; /* for the GIL; 0 = not waiting */
static sg_wakeup orders;                 /* the writer has set is_posted or is_ending */
static sg_wakeup done;                   /* a job is done */

void sg_gil_worker_reset(void) {
    memset(&sg_gil_worker, 0, sizeof sg_gil_worker);
    atomic_store(&is_posted, false);
    atomic_store(&is_ending, false);
    sg_interpreter_end_reset();
    atomic_store(&waiting_since_ns, 0);
    sg_gil_handover_forget();
    sg_gil_access_forget();
}

void sg_gil_worker_post(enum sg_job_kind kind) {
    sg_gil_worker.job.kind = kind;
    sg_gil_worker.job.problem[0] = sg_gil_worker.job.locks_problem[0] = '\0';
    sg_gil_worker.job.held_ns = sg_gil_worker.job.cpu_ns = 0;
    /* The wait counts from here: the worker will wait for the GIL only. */
    atomic_store(&waiting_since_ns, kind == SG_JOB_NATIVE ? 0 : sg_time_mono_ns());
    atomic_store(&is_posted, true);
    sg_futex_wake(&orders);
}

bool sg_gil_worker_is_busy(void) { return atomic_load(&is_posted); }

void sg_gil_worker_wait(int64_t most_ns) {
    uint32_t seen = atomic_load(&done);
    if (atomic_load(&is_posted))
        sg_futex_wait(&done, seen, most_ns);
}

void sg_gil_worker_request_gil(void) {
    if (!sg_interpreter_end_is_over())
        sg_gil_handover_maintain();
}

int64_t sg_gil_worker_gil_wait_ns(void) {
    int64_t since_ns = atomic_load(&waiting_since_ns);
    return since_ns ? sg_time_mono_ns() - since_ns : 0;
}

void sg_gil_worker_end(void) {
    atomic_store(&is_ending, true);
    sg_futex_wake(&orders);
}

void sg_gil_worker_note_initialized(void) { atomic_store(&is_initialized, true); }

/* Wait until the interpreter is initialized. Returns false if it is being torn down. */
static bool wait_for_interpreter(void) {
    while (!sg_interpreter_end_is_over() && !atomic_load(&is_initialized) && !Py_IsInitialized())
        sg_futex_sleep_ns(UNINITIALIZED_NS);
    return !sg_interpreter_end_is_over();
}

static void redirect_imports(struct sg_job *job) {
    const char *problem = sg_native_alloc_redirect();
    if (problem)
        snprintf(job->problem, sizeof job->problem, "%s", problem);
}

static int64_t read_cpu_ns(void) { return (int64_t)sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

/* Take the GIL without a check for other interpreters. */
static void take_gil(void) {
    sg_gil_handover_want();
    sg_gil_access_take();
    sg_gil_waits_engine_took();
    sg_gil_handover_end();
}

static void release_gil(bool is_last) {
    sg_gil_waits_engine_releases();
    sg_gil_access_release(is_last);
}

/* When an interpreter that shares the object allocator was last seen; 0 = never. Used by the worker
 * only. */
static int64_t shared_seen_ns;

static bool is_shared(void) {
    if (!sg_obmalloc_sharing_is_shared())
        return false;
    shared_seen_ns = sg_time_mono_ns();
    return true;
}

static bool was_shared_lately(void) {
    return shared_seen_ns && sg_time_mono_ns() - shared_seen_ns < LATELY_NS;
}

/* Take the GIL while the main thread is in the pending call that hands it over, so that the main
 * thread creates no interpreter until the GIL is released. Returns false if the main thread is not
 * in the call or the allocator is shared. */
static bool take_gil_from_main(void) {
    if (!sg_gil_handover_is_away())
        return false;
    sg_gil_access_take();
    sg_gil_waits_engine_took();
    bool is_taken = sg_gil_handover_is_away() && !is_shared();
    if (!is_taken)
        release_gil(false);
    sg_gil_handover_end();
    return is_taken;
}

/* Take the GIL. Returns false, without the GIL, if the allocator turns out to be shared. */
static bool take_gil_unless_shared(void) {
    take_gil();
    if (!is_shared())
        return true;
    release_gil(false);
    return false;
}

/* Try until the GIL is taken alone. Returns false, without the GIL, if the job is abandoned.
 *
 * A program that shared the allocator a moment ago may be creating the next interpreter, on a
 * thread that has released its GIL. So without the main thread's pending call, the worker waits
 * until no such interpreter was seen for LATELY_NS. */
static bool retry_take_gil_alone(void) {
    sg_gil_handover_want();
    while (wait_for_interpreter() && !atomic_load(&is_ending)) {
        if (take_gil_from_main())
            return true;
        if (!is_shared() && !was_shared_lately() && take_gil_unless_shared())
            return true;
        if (!sg_gil_handover_is_wanted()) /* a failed try has ended the request */
            sg_gil_handover_want();
        sg_futex_sleep_ns(RETRY_NS);
    }
    sg_gil_handover_end();
    return false;
}

/* Take the GIL while no other GIL guards the same object allocator. Returns false, without the GIL,
 * if the interpreter is being torn down or the writer has abandoned the job at the exit. */
static bool take_gil_alone(void) {
    if (!wait_for_interpreter())
        return false;
    if (!was_shared_lately() && take_gil_unless_shared())
        return true;
    return retry_take_gil_alone();
}

static void do_job(void) {
    struct sg_job *job = &sg_gil_worker.job;
    if (job->kind == SG_JOB_NATIVE) {
        redirect_imports(job);
        return;
    }
    /* the two calls need no GIL, which may not be available any more */
    if (job->kind == SG_JOB_WITHDRAW) {
        sg_native_alloc_restore();
        sg_gil_sampling_unprepare();
    }
    if (job->kind == SG_JOB_PREPARE)
        sg_cpu_search_libraries();
    if (!take_gil_alone()) {
        strcpy(job->problem, "the interpreter is being torn down");
        return;
    }
    int64_t taken_ns = sg_time_mono_ns(), taken_cpu_ns = read_cpu_ns();
    atomic_store(&waiting_since_ns, 0);
    if (sg_interpreter_end_is_over())
        strcpy(job->problem, "the interpreter is being torn down");
    else
        sg_gil_jobs_run(job, &sg_gil_worker.paths);
    if (job->kind == SG_JOB_THREADS) /* this job comes at least every two seconds */
        sg_fork_warning_maintain();
    /* no WITHDRAW follows that would restore os.fork */
    if (job->kind == SG_JOB_PREPARE && *job->problem)
        sg_fork_warning_unhook();
    PyErr_Clear();
    job->held_ns = (uint64_t)(sg_time_mono_ns() - taken_ns);
    job->cpu_ns = (uint64_t)(read_cpu_ns() - taken_cpu_ns);
    /* No job follows WITHDRAW, nor a PREPARE that failed. */
    release_gil(job->kind == SG_JOB_WITHDRAW || (job->kind == SG_JOB_PREPARE && *job->problem));
}

void sg_gil_worker_run(void) {
    sg_python_symbols_resolve();
    sg_interpreter_end_prepare();
    for (;;) {
        uint32_t seen = atomic_load(&orders);
        if (atomic_load(&is_posted)) {
            do_job();
            atomic_store(&waiting_since_ns, 0);
            atomic_store(&is_posted, false);
            sg_futex_wake(&done);
        } else if (atomic_load(&is_ending)) {
            return;
        } else {
            sg_futex_wait(&orders, seen, SG_FUTEX_FOREVER);
        }
    }
}

void sg_gil_worker_free_results(void) {
    struct sg_job *job = &sg_gil_worker.job;
    for (size_t i = 0; i < job->n_codes; i++)
        sg_code_info_free(&job->codes[i].info);
    for (size_t i = 0; i < job->thread_names.n; i++)
        free(job->thread_names.at[i].name);
    for (size_t i = 0; i < job->stacks.n; i++)
        free(job->stacks.at[i].frames);
    sg_label_definitions_free(&job->labels);
    job->n_codes = job->thread_names.n = job->stacks.n = job->lock_waits.n = 0;
}

void sg_gil_worker_close(void) {
    struct sg_job *job = &sg_gil_worker.job;
    sg_gil_worker_free_results();
    sg_census_clear();
    sg_lock_names_forget();
    sg_function_names_end();
    sg_waits_snapshot_end();
    sg_thread_dump_end();
    sg_task_samples_close();
    SG_ROWS_FREE(&job->thread_names);
    SG_ROWS_FREE(&job->stacks);
    SG_ROWS_FREE(&job->lock_waits);
    free(job->interpreter.version);
    free(job->interpreter.executable);
    for (size_t i = 0; i < job->interpreter.n_argv; i++)
        free(job->interpreter.argv[i]);
    free(job->interpreter.argv);
    free(job->interpreter.process_name);
    free(job->late_name);
    sg_module_names_free(&sg_gil_worker.paths);
    memset(&sg_gil_worker, 0, sizeof sg_gil_worker);
}
