/* Contention as the rest of the engine sees it: who waited, for whom, how long.
 *
 *     lock hooks ── note_wait ───┐  (under the GIL)
 *     lock hooks ── note_mutex ──┤                  ┌── count, total, max, 64 delays
 *     gil waits ─── note_gil ────┴──▶ buckets ◀─────┤   by (kind, primitive, lock, stack, other)
 *                   (any thread, no GIL)    │       └── read, drain_events, read_locks
 *                                           └──▶ events: when, which thread
 *
 * Values are stored scaled, with the rate in force at that moment, so rates may change at any time
 * and sums stay comparable. Sums stay when a rate is 0.
 *
 * Once a session, in this order: sg_cpu_prepare, sg_contention_prepare, (what notes is hooked),
 * sg_contention_set_rates as often as one likes, (unhooked), sg_contention_unprepare,
 * sg_cpu_unprepare (numbers of code objects are the sampler's). */
#ifndef STACKGLASS_CONTENTION_CONTENTION_H
#define STACKGLASS_CONTENTION_CONTENTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/code_ids.h"
#include "frames/primitives.h"

enum {
    SG_CONTENTION_DEFAULT_BLOCK_NS = 10000,
    SG_CONTENTION_DEFAULT_FRACTION = 10,
    SG_CONTENTION_DEPTH = 192, /* frames of a stack that are kept; of a deeper one the leaf side */
    SG_CONTENTION_DELAYS = 64, /* by floor(log2(ns)) */
};

/* Of a bucket; numbers are the wire's. */
enum sg_contention_kind {
    SG_CONTENTION_BLOCK = 0, /* frames: who waited */
    SG_CONTENTION_MUTEX = 1, /* frames: who released; one release counts once */
    SG_CONTENTION_PAIR = 2,  /* frames: who released; other: who waited; one waiter counts once */
    SG_CONTENTION_GIL = 3,   /* frames: who held it */
    SG_CONTENTION_OTHER = 4, /* frames: who waited: sleep, socket, select, child process */
    SG_CONTENTION_TASK = 5,  /* frames: the task that waited (asyncio) */
    SG_CONTENTION_STALL = 6, /* frames: what kept the event loop */
    SG_CONTENTION_IDLE = 7,  /* frames: an event loop that had nothing to do; else OTHER */
    SG_N_CONTENTION_KINDS,
};

/* ---- The session ---- */

/* Make tables, all rates 0. `start_mono_ns` is time 0 of events. NULL, or one English sentence that
 * says why not, and then nothing has been changed. Caller holds the GIL; sg_cpu_prepare has
 * succeeded. */
const char *sg_contention_prepare(int64_t start_mono_ns);
/* Everything forgotten and given back. Nobody notes any more: hooks are gone, or see rates of 0 and
 * have left; no other call of this header is under way. Caller holds the GIL, or no Python thread
 * runs any more. */
void sg_contention_unprepare(void);
/* Between fork and its return, in the child: as unprepare. */
void sg_contention_after_fork_in_child(void);

/* Learn which functions of loaded modules are primitives themselves (threading.Condition.wait,
 * queue.Queue.get …): only the outermost one of them is told, as a frame. prepare calls it; again
 * from time to time, as modules are imported later. Caller holds the GIL. Runs no code of the
 * program's, imports nothing; a microsecond when there is nothing new. */
void sg_contention_learn(void);

/* Each 0 = off. block: waits of this many ns and more are all kept, shorter ones with chance
 * delay/block_ns; 1 = every one. mutex: one release in `mutex_fraction` is kept. gil: how often a
 * second the GIL is looked at. stall: callbacks that keep an event loop this long are told. Any
 * thread; acts with the next note. No effect unless prepared. */
void sg_contention_set_rates(uint64_t block_ns, uint64_t mutex_fraction, uint32_t gil_hz,
                             uint64_t stall_ns);

/* As they are now: one relaxed load, any thread. Who finds 0 where a wait begins does not note it
 * at its end. */
extern _Atomic uint64_t sg_contention_now_block_ns, sg_contention_now_fraction;
extern _Atomic uint64_t sg_contention_now_stall_ns;
extern _Atomic uint32_t sg_contention_now_gil_hz;
static inline uint64_t sg_contention_block_rate(void) {
    return atomic_load_explicit(&sg_contention_now_block_ns, memory_order_relaxed);
}
static inline uint64_t sg_contention_mutex_fraction(void) {
    return atomic_load_explicit(&sg_contention_now_fraction, memory_order_relaxed);
}
static inline uint32_t sg_contention_gil_hz(void) {
    return atomic_load_explicit(&sg_contention_now_gil_hz, memory_order_relaxed);
}
static inline uint64_t sg_contention_stall_ns(void) {
    return atomic_load_explicit(&sg_contention_now_stall_ns, memory_order_relaxed);
}

/* ---- Stacks ---- */

/* A stack, trimmed as a record wants it: the leaf-side run of primitives is cut down to its
 * outermost frame (`_thread.lock.acquire ← main`, but `queue.Queue.get ← main`), whose lasti is
 * then -1, its first line. To be passed on, not looked into; good until unprepare. */
typedef uint32_t sg_contention_stack;
enum {
    SG_CONTENTION_OWN_STACK = 0, /* take the calling thread's, if the note is kept */
};

/* That of the calling thread (its state, or NULL to find it), or of another one that waits in a
 * call from its Python code and cannot come back while the caller holds the GIL. With the frame of
 * `leaf` on top. `thread`: PyThreadState. Caller holds the GIL; not in a signal handler. May yield
 * the processor for some microseconds. */
sg_contention_stack sg_contention_take_stack(const void *thread, enum sg_primitive leaf);
/* Its frames, leaf first, SG_CONTENTION_DEPTH at most; how many. Any thread. */
uint32_t sg_contention_reader_frames(sg_contention_stack stack, struct sg_frame *frames);

/* ---- Notes ----
 *
 * All keep errno, allocate nothing (but see note_wait) from the process's heaps and wait for
 * nobody; what finds no room is counted and charged to <lost samples>. Delays of 0 and less count
 * as 1 ns. Rates are applied in here. Without prepare they do nothing. Events are those of the
 * calling thread. */

/* The calling thread has waited (BLOCK, OTHER, TASK; sampled by the block rate), or has kept the
 * event loop (STALL; every one while stalls are told). An OTHER that the event loop waits in for
 * something to do becomes an IDLE. `lock`: address of what was waited for, or NULL; it gets a
 * number only if the note is kept. In the place of the lock that a Condition.wait has made for
 * itself comes what it was called for: the Condition, Event, Queue … When it takes its condition's
 * lock again, the time is added there and nothing is counted: the wait was. Caller holds the GIL; a
 * weak reference may be made to such an object. */
void sg_contention_note_wait(enum sg_contention_kind kind, enum sg_primitive primitive,
                             const void *lock, sg_contention_stack stack, int64_t delay_ns);

/* A wait that will be noted by nobody, since there was no room to follow it: one that is lost. Any
 * thread. */
void sg_contention_lose_wait(void);

/* Somebody who waits for a lock that is being released. */
struct sg_contention_waiter {
    enum sg_primitive primitive; /* that it waits in */
    sg_contention_stack stack;   /* or SG_CONTENTION_OWN_STACK, and then `thread` */
    const void *thread;          /* its PyThreadState: its stack is taken if the note is kept */
    int64_t delay_ns;            /* what this holder has cost it */
};
/* The calling thread releases `lock` while `n` others wait for it: one MUTEX record of the sum of
 * their delays, and a PAIR for each. Its own stack is taken if the note is kept. A release that
 * only wakes somebody (Condition.notify, and so Event.set, Queue.put) holds up nobody, and is no
 * record; one by Semaphore.release is. Caller holds the GIL. `_drawn`: it is one of `weight`, and
 * was drawn from them by the caller. */
void sg_contention_note_mutex(enum sg_primitive primitive, const void *lock,
                              const struct sg_contention_waiter *waiters, uint32_t n);
void sg_contention_note_drawn_mutex(enum sg_primitive primitive, const void *lock,
                                    const struct sg_contention_waiter *waiters, uint32_t n,
                                    double weight);

/* `holder` has had the GIL while others waited: `n_waits` waits that ended or were first seen (0: a
 * wait goes on that was counted before), `delay_ns` in all. `frames`: its stack, leaf first,
 * copied; `depth` 0: not known, charged to <lost samples>. Any thread, with or without the GIL,
 * async-signal-safe. Not sampled in here. */
void sg_contention_note_gil(pid_t holder, const struct sg_frame *frames, uint32_t depth,
                            uint64_t n_waits, int64_t delay_ns);

/* ---- Locks ---- */

enum { SG_CONTENTION_LOCKS = 1 << 14 }; /* that get numbers; later ones are told apart no more */

/* The number of the lock at `address`, from 1; a new one if it has none, or, once half of all are
 * given, one for all that were made at its line; 0 if that is not known. For who looks at waits.
 * Any thread, no GIL, not in a signal handler; may yield for some microseconds. */
uint32_t sg_contention_lock(const void *address, enum sg_primitive primitive);
/* The lock there is no more: what comes to lie there gets a new number. Any thread; never waits;
 * cheap if no lock has a number. */
void sg_contention_lock_died(const void *address);

struct sg_contention_lock {
    uint32_t number;
    enum sg_primitive primitive; /* that it was first met in; its owner is the lock's type */
    uintptr_t address;           /* 0 = many that were made at one place */
    bool is_dead;
    struct sg_frame made;   /* the program's line that made it; SG_NO_CODE = not known */
    struct sg_frame waited; /* that was the first to wait for it; likewise */
};
typedef void sg_contention_lock_fn(void *context, const struct sg_contention_lock *lock);
/* What is known now of number `number`, which has been delivered. Any thread, no claim. */
struct sg_contention_lock sg_contention_reader_lock_facts(uint32_t number);
/* Those from number `first` on (1 = all), in order. Returns how many. One thread, no GIL. */
size_t sg_contention_reader_read_locks(uint32_t first, sg_contention_lock_fn *deliver,
                                       void *context);

/* ---- What was noted ---- */

struct sg_contention_bucket {
    uint32_t id; /* 0, 1, 2 … ; the session's. The same key never has two */
    enum sg_contention_kind kind;
    enum sg_primitive primitive;
    uint32_t lock; /* its number; 0 = none, or not told apart */
    uint32_t depth;
    const struct sg_frame *frames; /* leaf first; (depth,); until `deliver` returns */
    uint32_t other_depth;          /* 0 unless PAIR */
    const struct sg_frame *other_frames;
    double count;    /* scaled; tell it truncated, 1 at least: sg_contention_reader_whole() */
    double total_ns; /* scaled */
    uint64_t max_ns; /* of one, as it was */
    double delays[SG_CONTENTION_DELAYS]; /* scaled counts by floor(log2(ns)) */
};
typedef void sg_contention_bucket_fn(void *context, const struct sg_contention_bucket *bucket);

/* Hand out all buckets that have a record, or those that may have changed since the last time, in
 * order of `id`. One thread at a time, no GIL; notes go on meanwhile, so each bucket is of its own
 * moment. `deliver` may take as long as it likes. Returns how many. */
size_t sg_contention_reader_read(bool only_changed, sg_contention_bucket_fn *deliver,
                                 void *context);

/* A sum as a whole number: truncated, 1 at least if there is any. Pure. */
uint64_t sg_contention_reader_whole(double sum);

/* Records of one thread, bucket and time unit, for a timeline; lost ones change no sum. */
struct sg_contention_event {
    uint32_t time; /* SG_TIME_UNIT_NS since the start; the wait's end */
    pid_t tid;     /* that waited (BLOCK …), released (MUTEX, PAIR), held (GIL) */
    uint32_t bucket;
    double count; /* scaled */
    double ns;    /* scaled */
};
typedef void sg_contention_event_fn(void *context, const struct sg_contention_event *event);
/* One thread, no GIL. Returns how many. */
size_t sg_contention_reader_drain_events(sg_contention_event_fn *deliver, void *context);

/* How locks and the GIL are looked at, those who do it tell (locks/hooks.h, gil/waits.h). */
struct sg_contention_status {
    bool is_prepared;
    uint64_t block_rate_ns;
    uint64_t mutex_fraction;
    uint32_t gil_hz;
    uint64_t n_events;      /* notes that were kept, unscaled */
    uint64_t n_lost;        /* of these, how many found no room */
    uint64_t n_lost_events; /* of the timeline alone */
    uint64_t n_bad_walks;   /* stacks cut short */
    uint64_t n_locks;       /* numbers given */
    uint64_t n_buckets;     /* ids in use */
    uint64_t n_stack_nodes; /* frames in the tree of stacks */
    uint64_t table_bytes;   /* address space of our tables */
};
void sg_contention_status(struct sg_contention_status *status);

#endif
