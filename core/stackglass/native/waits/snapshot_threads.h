/* Snapshot threads: a table, by thread id, of each thread's futex, stack and wait.
 *
 *     writer, no GIL: /proc      slices, GIL: stack, wait from before the hooks, time of both
 *          futex, CPU clock ─────────▶ thread ◀───────── it waits, or holds
 *
 * There is room for threads that start during the snapshot. The thread that has the job owns the
 * table. */
#ifndef STACKGLASS_WAITS_SNAPSHOT_THREADS_H
#define STACKGLASS_WAITS_SNAPSHOT_THREADS_H

#include "cpu/snapshot.h"
#include "frames/walk.h"
#include "platform/hash_table.h"
#include "waits/waiters.h"

struct sg_snapshot_thread {
    pid_t tid;
    uintptr_t futex; /* the futex that it slept on; 0 = none, or not known */
    uint64_t cpu_ns; /* its CPU clock, read before `futex` */
    /* id of its thread state in the engine's interpreter; 0 = it belongs to another one */
    uint64_t id;
    int64_t seen_mono_ns; /* when its stack was read; 0 = not yet */

    struct sg_frame *frames; /* (depth,), leaf first; owned */
    uint32_t depth;

    struct sg_lock_waiter waiter; /* its wait, if it began before the hooks; `tid` 0 = none */
    pid_t joined;                 /* the thread whose end it waits for; 0 = none */
    size_t waits_at;              /* row of its wait + 1; 0 = it does not wait */
    bool is_published;            /* it waits, or holds a lock, so its stack is published */
};

struct sg_snapshot_threads {
    struct sg_snapshot_thread *all; /* (capacity,); owned */
    size_t n, capacity;
    struct sg_hash_table by_tid; /* position in `all` */
};

/* Make the table with the threads that sleep now, read from /proc. Needs no GIL. Returns false if
 * memory is short. */
bool sg_snapshot_threads_open(struct sg_snapshot_threads *threads);
void sg_snapshot_threads_close(struct sg_snapshot_threads *threads);

/* Return the thread with this id; NULL = it is not in the table. */
struct sg_snapshot_thread *sg_snapshot_threads_find(const struct sg_snapshot_threads *threads,
                                                    pid_t tid);
/* Return the thread with this id, which is added if it is new; NULL if the table is full. */
struct sg_snapshot_thread *sg_snapshot_threads_add(struct sg_snapshot_threads *threads, pid_t tid);

/* Read the thread's stack. `thread` is its thread state; `what` is as in sg_snapshot_walk. */
void sg_snapshot_threads_read(struct sg_snapshot_thread *seen, const void *thread,
                              enum sg_walked what);

#endif
