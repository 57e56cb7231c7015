/* The rows of a dump: threads, tasks, and what they refer to. Filled by the parts of a dump, and
 * read by the stream that sends it; thread_dump.h says whose it is when. */
#ifndef STACKGLASS_THREADS_DUMP_ROWS_H
#define STACKGLASS_THREADS_DUMP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpu/thread_states.h"
#include "frames/code_ids.h"
#include "frames/primitives.h"
#include "platform/futex_sleepers.h"
#include "platform/hash_table.h"
#include "platform/vector.h"

struct sg_still_thread;

enum sg_thread_daemon { SG_DAEMON_UNKNOWN, SG_DAEMON_NO, SG_DAEMON_YES };

struct sg_dumped_thread {
    pid_t tid;          /* first: rows are sorted by it */
    uint64_t cpu_ns;    /* its CPU clock in the slice */
    const void *thread; /* its PyThreadState, to be compared only */
    enum sg_thread_state state;
    int call;                    /* number of its system call; -1 = none, or not known */
    uint32_t first_frame, depth; /* of `frames`, leaf first */
    uint32_t name;               /* of `texts`; 0 = none */
    enum sg_thread_daemon daemon;
    uint32_t interpreter; /* 0 = the main one */
    uintptr_t task;       /* that it runs; 0 = none */
    uint32_t labels;      /* label set */

    /* Of a wait for a lock, where locks are hooked; SG_PRIMITIVE_NONE = not known. */
    enum sg_primitive primitive;
    uintptr_t lock;        /* address of the lock, or of what is waited for in its place */
    int64_t since_mono_ns; /* 0 = not known */
    pid_t holder;          /* 0 = not known */
    bool is_leaked;
};

enum sg_task_state { SG_TASK_RUNNING = 1, SG_TASK_READY, SG_TASK_SUSPENDED };

struct sg_dumped_task {
    uintptr_t task; /* address */
    enum sg_task_state state;
    uint32_t first_frame, depth;
    uint32_t name;
    int64_t number;         /* it is called after; 0 = it has a name */
    pid_t tid;              /* the thread of its loop, or that runs it; 0 = not known */
    uintptr_t awaited;      /* the future or task that it waits for; 0 = none */
    uint32_t awaited_type;  /* of `texts` */
    uint32_t labels;        /* label set, in the task's own context */
    uint32_t greenlet_type; /* of `texts`; 0 = it is a task of asyncio */
    bool is_leaked;
};

struct sg_await_edge {
    uintptr_t task, awaited; /* addresses of tasks */
};

struct sg_thread_dump {
    bool is_begun, is_done;
    bool is_whole; /* else memory ran out, or there are more than SG_MOST_TASKS */
    int64_t taken_mono_ns;
    uint32_t n_slices;                        /* in which stacks and tasks were read */
    uint64_t longest_hold_ns, longest_cpu_ns; /* of a slice */

    struct SG_ROWS_OF(struct sg_dumped_thread) threads; /* by tid, at the end */
    struct SG_ROWS_OF(struct sg_dumped_task) tasks;
    struct SG_ROWS_OF(struct sg_await_edge) edges;
    struct SG_ROWS_OF(struct sg_frame) frames;
    struct SG_ROWS_OF(char) texts; /* NUL-ended; 0 = "" */

    /* Of a search for leaks. */
    bool wants_leaks;
    const char *leak_problem; /* NULL = the search is done, or there is none */
    uint64_t n_leak_objects;
    int64_t leak_ns;                                 /* of the GIL */
    struct SG_ROWS_OF(struct sg_still_thread) still; /* that may be leaked, by tid */

    /* Tasks are chosen at random, one in so many; 0 or 1 = all. The choice is one for all slices.
     */
    uint32_t one_in;
    uint64_t choice;

    /* What the slices need of each other. */
    struct sg_sleeper *sleepers; /* before the first slice, by tid */
    size_t n_sleepers;
    int n_interpreters;                         /* with all threads seen */
    uint64_t next_id;                           /* of thread states, newest first */
    bool has_threads, has_tasks, has_greenlets; /* all of them */
    bool has_greenlet_walk;                     /* it has begun */
    size_t n_named;            /* threads of threading's list that were looked at */
    struct sg_hash_table seen; /* addresses of tasks and greenlets */
};

enum { SG_MOST_TASKS = 1 << 20 };

/* Room for a text, its place in `texts`; 0 = "", or no memory. */
uint32_t sg_dump_rows_add_text(struct sg_thread_dump *dump, const char *text);

#endif
