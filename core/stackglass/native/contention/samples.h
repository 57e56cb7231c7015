/* The values that the files of the contention profiler share: stacks, records, buckets, events. */
#ifndef STACKGLASS_CONTENTION_SAMPLES_H
#define STACKGLASS_CONTENTION_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/code_ids.h"
#include "frames/primitives.h"
#include "frames/stack_depth.h"

enum { SG_CONTENTION_DELAYS = 64 /* classes of delays, by floor(log2(ns)) */ };

/* Number of frames kept of a stack (frames/stack_depth.h). Written by prepare with the GIL held,
 * while no thread is inside SG_GATE_CONTENTION, which so keeps it constant. */
extern uint32_t sg_contention_stacks_depth;

/* What a bucket counts; the numbers are the wire's. */
enum sg_contention_kind {
    SG_CONTENTION_BLOCK = 0, /* frames: the waiter */
    SG_CONTENTION_MUTEX = 1, /* frames: the releasing holder; one release counts once */
    SG_CONTENTION_PAIR = 2,  /* frames: the holder; other: a waiter; one waiter counts once */
    SG_CONTENTION_GIL = 3,   /* frames: the GIL's holder */
    SG_CONTENTION_OTHER = 4, /* frames: the waiter: sleep, socket, select, child process */
    SG_CONTENTION_TASK = 5,  /* frames: the waiting asyncio task */
    SG_CONTENTION_STALL = 6, /* frames: the callback that blocks the event loop */
    SG_CONTENTION_IDLE = 7,  /* as OTHER, where an event loop waits for something to do */
    SG_N_CONTENTION_KINDS,
};

/* A handle of a stack, valid until unprepare. The stack is trimmed: the run of primitives at its
 * leaf is cut to the outermost one (`_thread.lock.acquire ← main`, but `queue.Queue.get ← main`),
 * and that frame's lasti is -1, its first line. */
typedef uint32_t sg_contention_stack;
enum {
    SG_CONTENTION_OWN_STACK = 0, /* no handle: take the calling thread's stack, if it is needed */
};

/* A thread that waits for a lock that is being released. */
struct sg_contention_waiter {
    enum sg_primitive primitive; /* the primitive that the thread waits in */
    sg_contention_stack stack;   /* or SG_CONTENTION_OWN_STACK: take that of `thread` */
    const void *thread;          /* PyThreadState; its stack is taken only if the release is kept */
    uint32_t labels;             /* its label set */
    int64_t delay_ns;            /* delay that is charged to this holder */
};

/* A record: what is to be added to one bucket. */
struct sg_contention_record {
    enum sg_contention_kind kind;
    enum sg_primitive primitive;
    const void *lock;            /* NULL = not distinguished */
    enum sg_primitive lock_type; /* type of `lock`, if not `primitive`'s; else SG_PRIMITIVE_NONE */
    double count;                /* scaled */
    double total_ns;             /* scaled */
    uint64_t each_ns;            /* delay of one wait; of a MUTEX, all waiters' delays; unscaled */
    uint32_t time;               /* SG_TIME_UNIT_NS since the start */
    pid_t tid;
    /* Two stacks, each a handle or, with SG_CONTENTION_OWN_STACK, frames (depth,), leaf first,
     * which are copied. The other one may be empty. */
    struct sg_contention_side {
        sg_contention_stack stack;
        uint32_t depth;
        const struct sg_frame *frames;
        uint32_t labels; /* label set that the thread or task had then */
    } side, other;
};

struct sg_contention_bucket {
    uint32_t id; /* 0, 1, 2 …; valid for the session. A key has one id */
    enum sg_contention_kind kind;
    enum sg_primitive primitive;
    uint32_t lock; /* number of the lock; 0 = none, or not distinguished */
    uint32_t depth;
    const struct sg_frame *frames; /* leaf first; (depth,); until `deliver` returns */
    uint32_t other_depth;          /* 0 unless PAIR */
    const struct sg_frame *other_frames;
    uint32_t labels, other_labels; /* label sets of the two stacks */
    double count;    /* scaled; sent truncated, but at least 1: sg_contention_reader_whole */
    double total_ns; /* scaled */
    uint64_t max_ns; /* largest each_ns of its records, unscaled */
    double delays[SG_CONTENTION_DELAYS]; /* scaled counts by floor(log2(ns)) */
};
typedef void sg_contention_bucket_fn(void *context, const struct sg_contention_bucket *bucket);

/* The records of one thread, bucket and time unit, for a timeline. */
struct sg_contention_event {
    uint32_t time; /* SG_TIME_UNIT_NS since the start, of the wait's end */
    pid_t tid; /* the waiter (BLOCK …), the releasing holder (MUTEX, PAIR), the holder (GIL) */
    uint32_t bucket;
    double count; /* scaled */
    double ns;    /* scaled */
};
typedef void sg_contention_event_fn(void *context, const struct sg_contention_event *event);

enum { SG_CONTENTION_LOCKS = 1 << 14 }; /* numbers; further locks are not distinguished */

struct sg_contention_lock {
    uint32_t number;
    enum sg_primitive primitive; /* first call seen; its owner is the lock's type */
    uintptr_t address;           /* 0 = the locks of one creation site together */
    bool is_dead;
    struct sg_frame made;   /* the program's line that created it; SG_NO_CODE = not known */
    struct sg_frame waited; /* the line that first waited for it; SG_NO_CODE = not known */
};
typedef void sg_contention_lock_fn(void *context, const struct sg_contention_lock *lock);

#endif
