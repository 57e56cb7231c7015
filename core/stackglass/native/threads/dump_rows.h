/* Rows of a thread dump: threads, tasks, and the frames, texts and await edges that they refer to.
 * The dump_*.c files fill them, and the stream that sends the dump reads them. thread_dump.h says
 * which thread owns them at what time. */
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
    pid_t tid;          /* first: rows are sorted by it, then by interpreter, home's first */
    uint64_t cpu_ns;    /* the thread's CPU clock when its stack was read */
    const void *thread; /* its PyThreadState, to be compared only */
    enum sg_thread_state state;
    /* number of the system call that it is in; -1 = none, or not known */
    int call;
    uint32_t first_frame, depth; /* a range of `frames`, leaf first */
    uint32_t name;               /* place in `texts`; 0 = none */
    enum sg_thread_daemon daemon;
    uint32_t interpreter; /* 0 = the main one, then in the order of their creation */
    bool is_at_home;      /* it is the engine's interpreter */
    uintptr_t task;       /* the task that it runs; 0 = none */
    uint32_t labels;      /* label set */

    /* The thread's wait for a lock, if locks are hooked; SG_PRIMITIVE_NONE = none, or not known. */
    enum sg_primitive primitive;
    uintptr_t lock; /* address of the lock, or of the Condition, Event … that contains it */
    int64_t since_mono_ns; /* 0 = not known */
    pid_t holder;          /* 0 = not known */
    bool is_leaked;
};

/* The tid of a thread state, up to 3.10, where a state has only the thread's pthread_t. */
struct sg_early_tid {
    uintptr_t thread, pthread; /* the state's address, and what it has */
    pid_t tid;
};

enum sg_task_state { SG_TASK_RUNNING = 1, SG_TASK_READY, SG_TASK_SUSPENDED };

struct sg_dumped_task {
    uintptr_t task; /* address */
    enum sg_task_state state;
    uint32_t first_frame, depth;
    uint32_t name;
    int64_t number; /* N if the name is "Task-N"; 0 = `name` has the name */
    /* the thread that runs it, else the thread of its loop; 0 = not known */
    pid_t tid;
    uintptr_t awaited; /* the future or task that it waits for; 0 = none */
    /* place in `texts`; for a greenlet what wakes it: "Event", "Queue.get" */
    uint32_t awaited_type;
    uint32_t labels;        /* label set of the task's own context */
    uint32_t greenlet_type; /* place in `texts`; 0 = the row is an asyncio task */
    bool is_leaked;
    int64_t since_mono_ns; /* when it began to wait; 0 = it does not wait, or not known */
    pid_t creator;         /* the thread that created it; 0 = not known */
    /* the stack that created it, a range of `frames`; depth 0 = not known */
    uint32_t creation_first_frame, creation_depth;
};

struct sg_await_edge {
    uintptr_t task, awaited; /* addresses of tasks */
};

/* Link from a greenlet to the object of gevent that will wake it. */
struct sg_greenlet_link {
    uintptr_t greenlet; /* first: links are sorted by it */
    uintptr_t awaited;  /* address of the object */
    uint32_t wait;      /* place in `texts`: "Event", "Queue.get" */
    /* the greenlet's innermost frame when the link was read; SG_NO_CODE = it has none */
    struct sg_frame top;
};

struct sg_thread_dump {
    bool is_begun, is_done;
    /* false: memory ran out, there are more than SG_MOST_TASKS, or the walk for greenlets was given
     * up */
    bool is_whole;
    int64_t taken_mono_ns;
    /* times that the GIL was held to read stacks and tasks */
    uint32_t n_slices;
    uint64_t longest_hold_ns, longest_cpu_ns; /* longest of these, in wall-clock and CPU time */

    struct SG_ROWS_OF(struct sg_dumped_thread) threads; /* sorted once all are read */
    struct SG_ROWS_OF(struct sg_dumped_task) tasks;
    struct SG_ROWS_OF(struct sg_await_edge) edges;
    /* until dump_greenlets settles them into rows */
    struct SG_ROWS_OF(struct sg_greenlet_link) links;
    struct SG_ROWS_OF(struct sg_frame) frames;
    struct SG_ROWS_OF(char) texts; /* NUL-terminated texts; place 0 = "" */

    /* The search for leaks (dump_leaks.h). */
    bool wants_leaks;
    const char *leak_problem; /* NULL = the search is done, or none was wanted */
    uint64_t n_leak_objects;
    int64_t leak_ns;           /* time for which the search held the GIL */
    uint32_t n_leak_tries;     /* searches that met a collection under way */
    int64_t leaks_due_mono_ns; /* when the next search may be tried; 0 = now */
    struct SG_ROWS_OF(struct sg_still_thread) still; /* threads that may be leaked, by tid */

    /* The dump has a random sample of the tasks, one in `one_in`; 0 or 1 = all. `choice` is the
     * random number that decides, the same in all slices. */
    uint32_t one_in;
    uint64_t choice;

    /* Progress of earlier slices. */
    struct sg_sleeper *sleepers; /* read before the first slice, sorted by tid */
    size_t n_sleepers;
    struct SG_ROWS_OF(struct sg_early_tid) early_tids; /* the same, newest thread first */
    size_t n_matched;                           /* of these, how many the slices have passed */
    int n_interpreters;                         /* interpreters whose threads are all read */
    uint64_t next_id;                           /* threads with smaller ids are still to be read */
    bool has_threads, has_tasks, has_greenlets; /* all of them have been read */
    bool has_greenlet_walk;                     /* the search for greenlets has begun */
    bool has_waits, has_known_waits; /* the same of waits; of those that the hooks recorded */
    uint64_t next_wait_id;           /* as next_id, of threads whose waits are still to be read */
    bool is_naming_split, is_naming_again; /* names took several slices; they are read again */
    size_t n_named;                        /* threads in threading._active whose names were read */
    /* Addresses of what has been read: greenlets, running tasks, and the tasks of earlier slices.
     * The rows from `n_noted` to `n_read` are tasks whose addresses are still to be added. */
    struct sg_hash_table seen;
    size_t n_noted, n_read;
    /* Stacks that created tasks, each once (dump_creations.h); entry_bytes 0 = none are wanted. */
    struct sg_hash_table creations;
};

enum { SG_MOST_TASKS = 1 << 20 };

/* Copy a text. Returns its place in `texts`; 0 if it is empty or memory is short. */
uint32_t sg_dump_rows_add_text(struct sg_thread_dump *dump, const char *text);
/* Does the same with `n` bytes of a text. */
uint32_t sg_dump_rows_add_bytes(struct sg_thread_dump *dump, const char *text, size_t n);

#endif
