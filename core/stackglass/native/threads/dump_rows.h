/* Dump rows: threads, tasks, and the frames, texts and awaits that they refer to. The files dump_*
 * fill them, and the stream that sends the dump reads them; which thread owns them when is in
 * thread_dump.h. */
#ifndef STACKGLASS_THREADS_DUMP_ROWS_H
#define STACKGLASS_THREADS_DUMP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpu/thread_states.h"
#include "frames/code_ids.h"
#include "frames/frame.h"
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
    uintptr_t task;       /* the task that it runs; 0 = none */
    uint32_t labels;      /* label set */

    /* Its wait for a lock, where locks are hooked; SG_PRIMITIVE_NONE = none, or not known. */
    enum sg_primitive primitive;
    uintptr_t lock; /* address of the lock, or of the Condition, Event … that it belongs to */
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
    int64_t number;         /* N of its name "Task-N"; 0 = `name` has the name */
    pid_t tid;              /* the thread of its loop, or the one that runs it; 0 = not known */
    uintptr_t awaited;      /* the future or task that it waits for; 0 = none */
    uint32_t awaited_type;  /* of `texts`; of a greenlet what wakes it: "Event", "Queue.get" */
    uint32_t labels;        /* label set, in the task's own context */
    uint32_t greenlet_type; /* of `texts`; 0 = it is a task of asyncio */
    bool is_leaked;
};

struct sg_await_edge {
    uintptr_t task, awaited; /* addresses of tasks */
};

/* A greenlet that an object of gevent will wake. */
struct sg_greenlet_link {
    uintptr_t greenlet;  /* first: sorted by it */
    uintptr_t awaited;   /* address of the object */
    uint32_t wait;       /* of `texts`: "Event", "Queue.get" */
    struct sg_frame top; /* the greenlet's innermost frame at that time; of no code = it has none */
};

struct sg_thread_dump {
    bool is_begun, is_done;
    bool is_whole; /* false: memory ran out, or there are more than SG_MOST_TASKS */
    int64_t taken_mono_ns;
    uint32_t n_slices;                        /* holds of the GIL to read stacks and tasks */
    uint64_t longest_hold_ns, longest_cpu_ns; /* of these: wall-clock and CPU time */

    struct SG_ROWS_OF(struct sg_dumped_thread) threads; /* by tid, at the end */
    struct SG_ROWS_OF(struct sg_dumped_task) tasks;
    struct SG_ROWS_OF(struct sg_await_edge) edges;
    struct SG_ROWS_OF(struct sg_greenlet_link) links; /* until the end, when rows have them */
    struct SG_ROWS_OF(struct sg_frame) frames;
    struct SG_ROWS_OF(char) texts; /* NUL-ended; 0 = "" */

    /* The search for leaks (dump_leaks.h). */
    bool wants_leaks;
    const char *leak_problem; /* NULL = the search is done, or there is none */
    uint64_t n_leak_objects;
    int64_t leak_ns;                                 /* for which the search held the GIL */
    struct SG_ROWS_OF(struct sg_still_thread) still; /* threads that may be leaked, by tid */

    /* The dump has a random one in `one_in` of the tasks; 0 or 1 = all. `choice`: the random
     * number, the same in all slices. */
    uint32_t one_in;
    uint64_t choice;

    /* How far earlier slices have come. */
    struct sg_sleeper *sleepers; /* before the first slice, by tid */
    size_t n_sleepers;
    int n_interpreters;                         /* whose threads have all been read */
    uint64_t next_id;                           /* threads with smaller ids are still to be read */
    bool has_threads, has_tasks, has_greenlets; /* all of them have been read */
    bool has_greenlet_walk;                     /* the search for greenlets has begun */
    size_t n_named;            /* threads of threading._active that were asked for their names */
    struct sg_hash_table seen; /* addresses of the tasks and greenlets that were read */
};

enum { SG_MOST_TASKS = 1 << 20 };

/* Copy a text. Returns its place in `texts`; 0 = "", or no memory. */
uint32_t sg_dump_rows_add_text(struct sg_thread_dump *dump, const char *text);

#endif
