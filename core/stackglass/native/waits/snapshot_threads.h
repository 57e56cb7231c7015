/* The threads of a snapshot, by thread id: the futex each slept on, its stack, its wait.
 *
 *     writer, no GIL: /proc      slices, GIL: stack, wait from before the hooks, time of both
 *          futex, CPU clock ─────────▶ thread ◀───────── it waits, or holds
 *
 * There is room for threads that start during the snapshot. Owned by the thread that has the job.
 */
#ifndef STACKGLASS_WAITS_SNAPSHOT_THREADS_H
#define STACKGLASS_WAITS_SNAPSHOT_THREADS_H

#include "cpu/snapshot.h"
#include "frames/walk.h"
#include "platform/hash_table.h"
#include "waits/waiters.h"

struct sg_snapshot_thread {
    pid_t tid;
    uintptr_t futex;      /* that it slept on; 0 = on none, or it is not known */
    uint64_t cpu_ns;      /* its CPU clock, read before `futex` */
    uint64_t id;          /* of its thread state in the main interpreter; 0 = it is another's */
    int64_t seen_mono_ns; /* 0 = not yet */

    struct sg_frame *frames; /* (depth,), leaf first; owned */
    uint32_t depth;

    struct sg_lock_waiter waiter; /* of a wait from before the hooks; `tid` 0 = none */
    pid_t joined;                 /* the thread whose end it waits for; 0 = none */
    size_t waits_at;              /* the row of its wait, + 1; 0 = it does not wait */
    bool is_published;            /* it waits or holds, so its stack is published */
};

struct sg_snapshot_threads {
    struct sg_snapshot_thread *all; /* (capacity,); owned */
    size_t n, capacity;
    struct sg_hash_table by_tid; /* to the position in `all` */
};

/* Ask the system what each thread sleeps on. No GIL; false if there is no memory. */
bool sg_snapshot_threads_open(struct sg_snapshot_threads *threads);
void sg_snapshot_threads_close(struct sg_snapshot_threads *threads);

/* NULL = it has not been seen. */
struct sg_snapshot_thread *sg_snapshot_threads_find(const struct sg_snapshot_threads *threads,
                                                    pid_t tid);
/* The thread of this id, a new one if it has not been seen; NULL if there are too many. */
struct sg_snapshot_thread *sg_snapshot_threads_add(struct sg_snapshot_threads *threads, pid_t tid);

/* Its stack now. `thread` is its thread state; see sg_snapshot_walk. */
void sg_snapshot_threads_read(struct sg_snapshot_thread *seen, const void *thread,
                              enum sg_walked what);

#endif
