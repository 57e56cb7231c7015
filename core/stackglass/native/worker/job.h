/* Job: one piece of work for the worker (gil_worker.h), with its arguments and its results. A slice
 * is the part of a longer piece of work that one job does. */
#ifndef STACKGLASS_WORKER_JOB_H
#define STACKGLASS_WORKER_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpu/cpu.h"
#include "frames/code_ids.h"
#include "frames/code_info.h"
#include "labels/definitions.h"
#include "platform/vector.h"
#include "waits/waiters.h"

enum { SG_MOST_JOB_CODES = 500 }; /* code objects that one job names */

enum sg_job_kind {
    SG_JOB_PREPARE, /* hook the interpreter, run the self-check, read its version and arguments */
    SG_JOB_NAME,    /* code info */
    SG_JOB_THREADS, /* threads' names */
    /* threads that were started before the attach and have begun since (threads/births.h) */
    SG_JOB_BIRTHS,
    SG_JOB_LABELS,         /* definitions of label sets */
    SG_JOB_SNAPSHOT,       /* every thread's stack */
    SG_JOB_HEAP,           /* hook the allocators */
    SG_JOB_NATIVE,         /* patch the import tables of libraries; without the GIL */
    SG_JOB_LOCKS,          /* hook locks */
    SG_JOB_LOCK_WAITS,     /* a slice of a waits-for snapshot, with stacks */
    SG_JOB_DUMP,           /* a slice of a dump of threads and tasks (threads/thread_dump.h) */
    SG_JOB_TASK_SAMPLES,   /* a slice of a snapshot of suspended tasks (threads/task_samples.h) */
    SG_JOB_METRICS,        /* tasks by state, arenas, the collector (threads/metrics.h) */
    SG_JOB_LOCK_NAMES,     /* a slice of the search for names of locks (lock_names/lock_names.h) */
    SG_JOB_FUNCTION_NAMES, /* a slice of the search for names of machine code
                              (frames/function_names.h) */
    SG_JOB_OTHER,          /* hook or unhook blocking calls other than locks */
    SG_JOB_ASYNCIO,        /* hook or unhook asyncio, sample event loops that stall */
    SG_JOB_CENSUS,         /* a slice of a census (census/census.h) */
    SG_JOB_TRACE,          /* begin the memory trace, with its start snapshot */
    SG_JOB_TRACE_TYPES,    /* a slice of reading the types of recently allocated objects */
    SG_JOB_TRACE_END,      /* end the memory trace */
    SG_JOB_COLLECT,        /* a full collection, as by gc.collect() */
    SG_JOB_WITHDRAW,       /* undo PREPARE */
    SG_N_JOBS,
};

/* A code object's info; `info.name` NULL = it was freed, or memory is short. */
struct sg_named_code {
    sg_code_id id;
    struct sg_code_info info;
};

struct sg_thread_name {
    pid_t tid;
    char *name;
};

struct sg_stack {
    pid_t tid;
    uint32_t labels;
    uint32_t depth;
    struct sg_frame *frames; /* leaf first; owned */
};

/* Facts about the interpreter; all strings are owned. They are NULL before PREPARE, and if memory
 * is short. */
struct sg_interpreter {
    int minor; /* 3.minor */
    char *version;
    char *executable;
    char **argv;
    size_t n_argv;
    char *process_name; /* name of a child process of multiprocessing or billiard; "" = none */
};

/* A job, its arguments and its results. If memory is short, rows are missing from the arrays below
 * (threads' names, stacks, waits), and nothing says so. */
struct sg_job {
    enum sg_job_kind kind;
    uint64_t held_ns; /* time for which the job held the GIL; 0 = it did not take the GIL */
    uint64_t cpu_ns;  /* the job's CPU time while it held the GIL */

    char problem[240];       /* why the job failed; "" = it did not */
    char locks_problem[240]; /* LOCKS: why locks are not observed, if the other waits are */
    struct sg_interpreter interpreter;

    struct sg_named_code codes[SG_MOST_JOB_CODES]; /* NAME: in and out; DUMP: out */
    size_t n_codes;
    bool wants_names; /* DUMP: also name the dump's code objects, if it is short */

    struct SG_ROWS_OF(struct sg_thread_name) thread_names; /* PREPARE, THREADS: out */
    char *late_name; /* THREADS: out, owned: the process name, if it did not exist yet at PREPARE */

    uint32_t first_label_set;    /* LABELS: in */
    struct sg_label_rows labels; /* LABELS: out */

    struct SG_ROWS_OF(struct sg_stack) stacks; /* SNAPSHOT, LOCK_WAITS: out */
    int64_t taken_mono_ns;                     /* when the stacks were read */

    /* LOCK_WAITS: out, in addition to stacks */
    struct SG_ROWS_OF(struct sg_lock_waiter) lock_waits;

    int64_t start_mono_ns; /* HEAP, LOCKS, TRACE: time 0 of its events */
    uint32_t stack_depth;  /* HEAP, LOCKS, TRACE: frames kept of a stack */
};

#endif
