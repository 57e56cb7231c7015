/* What needs the GIL or the loader's lock, on a thread of its own, so that the writer never waits
 * for them.
 *
 *     writer ──post──▶ job ──▶ symboliser: takes the GIL, does it, gives it back ──▶ is_done
 *
 * One job at a time: from post to is_done it belongs to the symboliser, otherwise to the writer.
 * No job imports, prints, or leaves an exception; none holds the GIL for more than
 * SG_MAX_NAMES code objects or a slice of a census or of a search, but for a collection, which
 * takes as long as it takes. */
#ifndef STACKGLASS_WORKER_GIL_WORKER_H
#define STACKGLASS_WORKER_GIL_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/cpu.h"
#include "frames/code_ids.h"
#include "frames/code_info.h"
#include "frames/module_names.h"
#include "waits/waiters.h"

enum { SG_MAX_NAMES = 500 };

enum sg_job_kind {
    SG_JOB_PREPARE,    /* hook the interpreter, check ourselves, learn who it is */
    SG_JOB_NAME,       /* facts of code objects */
    SG_JOB_THREADS,    /* threads' names */
    SG_JOB_SNAPSHOT,   /* every thread's stack */
    SG_JOB_HEAP,       /* hook the allocators */
    SG_JOB_NATIVE,     /* lead libraries' imports through us: without the GIL */
    SG_JOB_LOCKS,      /* hook locks */
    SG_JOB_LOCK_WAITS, /* a slice of a look at who waits for whom, and where they stand */
    SG_JOB_DUMP,       /* a slice of a dump of threads and tasks: threads/thread_dump.h */
    SG_JOB_LOCK_NAMES, /* a slice of looking for them: see lock_names/lock_names.h */
    SG_JOB_OTHER,      /* hook other waits than for locks, or let them be */
    SG_JOB_ASYNCIO,    /* hook it or let it be, look at event loops that stall */
    SG_JOB_CENSUS,     /* a slice of one: see census/census.h */
    SG_JOB_COLLECT,    /* a full collection, as the program's own gc.collect() */
    SG_JOB_WITHDRAW,   /* undo PREPARE */
};

/* A code object's facts; `facts.name` NULL = it has died, or there is no memory. */
struct sg_named_code {
    sg_code_id id;
    struct sg_code_info facts;
};

struct sg_thread_name {
    pid_t tid;
    char *name;
};

struct sg_stack {
    pid_t tid;
    uint32_t depth;
    struct sg_frame *frames; /* leaf first; owned */
};

/* Who the interpreter is; all strings owned, none NULL after PREPARE. */
struct sg_interpreter {
    int minor; /* 3.minor */
    char *version;
    char *executable;
    char **argv;
    size_t n_argv;
};

struct sg_job {
    enum sg_job_kind kind;
    uint64_t held_ns; /* how long it has kept the GIL */
    uint64_t cpu_ns;  /* and worked meanwhile */
    bool is_exiting;  /* WITHDRAW: from inside atexit, which need not be unregistered */

    char problem[240];       /* PREPARE, HEAP, NATIVE, LOCKS: why not; "" = it went well, or could
                                not go wrong */
    char locks_problem[240]; /* LOCKS: why no lock is seen, where the rest of contention is */
    struct sg_interpreter interpreter;

    struct sg_named_code codes[SG_MAX_NAMES]; /* NAME: in and out */
    size_t n_codes;

    struct sg_thread_name *thread_names; /* PREPARE, THREADS: out */
    size_t n_threads, threads_capacity;

    struct sg_stack *stacks; /* SNAPSHOT, LOCK_WAITS: out */
    size_t n_stacks, stacks_capacity;
    int64_t taken_mono_ns;

    struct sg_lock_waiter *lock_waits; /* LOCK_WAITS: out, beside stacks */
    size_t n_lock_waits, lock_waits_capacity;

    int64_t start_mono_ns; /* HEAP, LOCKS: time 0 of its events */
};

/* Both sides' memory. The paths change under the symboliser's hands during jobs only, so that the
 * writer may use them between jobs. */
struct sg_gil_worker {
    struct sg_job job;
    struct sg_paths paths;
};
extern struct sg_gil_worker sg_gil_worker;

/* The symboliser's life, on the calling thread: does jobs until sg_gil_worker_end. */
void sg_gil_worker_run(void);

/* By the writer. */
void sg_gil_worker_post(enum sg_job_kind kind);
bool sg_gil_worker_is_busy(void);
/* To be called now and then while it is busy: see to it that it gets the GIL. */
void sg_gil_worker_maintain(void);
/* How long the present job has been waiting for the GIL; 0 = it is not. */
int64_t sg_gil_worker_gil_wait_ns(void);
void sg_gil_worker_end(void);

/* Whether the interpreter is being torn down. Any thread. */
bool sg_gil_worker_is_ending(void);

/* Never again touch the interpreter: it is being torn down. Any thread. */
void sg_gil_worker_forbid(void);
/* Python code has called us: so the interpreter is there, whatever Py_IsInitialized says. From
 * 3.15 on it says no until site has been imported, and record's engine enters from there. */
void sg_gil_worker_vouch(void);

/* Ready for a run: nothing posted, nothing forbidden. No symboliser runs. */
void sg_gil_worker_open(void);
/* Free what the last job left. By the writer between jobs; at the end; in a forked child. */
void sg_gil_worker_free_results(void);
void sg_gil_worker_close(void);

#endif
