/* Contention profiler, as the sources of its records see it: which thread waited, which thread held
 * the lock or the GIL, and for how long.
 *
 *     lock hooks ── record_wait ─────┐  (under the GIL)
 *     lock hooks ── record_release ──┤              ┌── count, total, max, 64 delay classes
 *     gil waits ─── record_gil ──────┴─▶ buckets ◀──┤   by kind, primitive, lock, stacks, labels
 *                   (any thread, no GIL)    │       └── reader.h
 *                                           └──▶ events: when, which thread
 *
 * Values are scaled when they are stored, with the rate in force at that moment. So rates may
 * change at any time and sums stay comparable. Sums are kept when a rate becomes 0.
 *
 * Once a session, in this order: sg_cpu_prepare, sg_contention_prepare, hook the sources,
 * sg_contention_set_rates any number of times, unhook, sg_contention_unprepare, sg_cpu_unprepare
 * (the sampler numbers the code objects). */
#ifndef STACKGLASS_CONTENTION_CONTENTION_H
#define STACKGLASS_CONTENTION_CONTENTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "contention/samples.h"
#include "platform/export.h"

/* ---- Lifecycle ---- */

/* Make the tables; all rates are 0. `start_mono_ns` is time 0 of events, `depth` the number of
 * frames kept of a stack. Returns NULL, or one English sentence that says why not; then nothing has
 * changed. Caller holds the GIL; sg_cpu_prepare has succeeded. */
const char *sg_contention_prepare(int64_t start_mono_ns, uint32_t depth);
/* Free everything. The sources are unhooked, or see rates of 0 and are not inside; no other call of
 * this header is under way. Caller holds the GIL, or no Python thread runs any more. */
void sg_contention_unprepare(void);
/* Does the same in a forked child, before fork returns. */
void sg_contention_after_fork_in_child(void);

/* Learn which functions of loaded modules are primitives (threading.Condition.wait, queue.Queue.get
 * …), for the trimming of stacks. prepare calls it; it has to be called again from time to time,
 * since modules are imported later. Caller holds the GIL. It runs no code of the program, imports
 * nothing, and takes some microseconds when nothing is new. */
void sg_contention_learn(void);

/* ---- Rates ----
 *
 *     block     wait >= block_ns: kept; wait d < block_ns: kept with chance d/block_ns. 1 = all
 *     mutex     a release is kept with chance 1/mutex_fraction
 *     gil       samples of the GIL's holder per second
 *     stall     callbacks that block an event loop for stall_ns or more are kept
 *
 * 0 = off. Any thread may set the rates. They act from the next record on, and have no effect
 * unless prepared. */
void sg_contention_set_rates(uint64_t block_ns, uint64_t mutex_fraction, uint32_t gil_hz,
                             uint64_t stall_ns);

/* The rates in force. Any thread may read them, with one relaxed load. A wait that begins at rate 0
 * is not recorded when it ends. */
extern SG_NEAR _Atomic uint64_t sg_contention_now_block_ns, sg_contention_now_fraction;
extern SG_NEAR _Atomic uint64_t sg_contention_now_stall_ns;
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

/* ---- Records ----
 *
 * Every call keeps errno, waits for no thread and allocates nothing from the process's heaps (but
 * see record_wait). A record that finds no room is counted and charged to <lost samples>. Delays
 * below 1 count as 1 ns. The rates are applied here. Without prepare there is no effect. An event
 * of the timeline belongs to the calling thread, and one of the GIL to its holder. */

/* Record that the calling thread has waited (BLOCK, OTHER, TASK: sampled by the block rate), or has
 * blocked the event loop (STALL: all are kept, unless the stall rate is 0). An OTHER in which an
 * event loop waits for something to do becomes an IDLE.
 *
 * `lock`: the address of the object that was waited for, or NULL; the object gets a number only if
 * the wait is kept. The lock that a Condition.wait creates for itself is replaced by the object
 * whose method was called: the Condition, Event, Queue …, to which a weak reference may be made.
 * When Condition.wait takes its own lock again, that time is added to the same bucket, with count
 * 0. `labels`: the label set that belongs to `stack`; for SG_CONTENTION_OWN_STACK it is read from
 * the thread, but a stall has none then. Caller holds the GIL. */
void sg_contention_record_wait(enum sg_contention_kind kind, enum sg_primitive primitive,
                               const void *lock, sg_contention_stack stack, uint32_t labels,
                               int64_t delay_ns);

/* Return the time since prepare, in ns, that the kept waits of kind BLOCK stand for. Any thread may
 * call this. */
uint64_t sg_contention_sampled_block_ns(void);

/* Count a wait as lost, because there was no room to follow it: its time is not known, and charged
 * to nothing. Any thread may call this. */
void sg_contention_lose_wait(void);

/* Record that the calling thread releases `lock` while `n` threads or tasks wait for it: one MUTEX
 * record with the sum of their delays, and a PAIR record for each. The stacks are taken if the
 * release is kept. A release that only wakes a thread (Condition.notify, so Event.set and
 * Queue.put) has delayed none and makes no record; Semaphore.release does. Caller holds the GIL. */
void sg_contention_record_release(enum sg_primitive primitive, const void *lock,
                                  const struct sg_contention_waiter *waiters, uint32_t n);
/* The same for a release that the caller has sampled: it stands for `weight` releases. */
void sg_contention_record_drawn_release(enum sg_primitive primitive, const void *lock,
                                        const struct sg_contention_waiter *waiters, uint32_t n,
                                        double weight);

/* Record that `holder` had the GIL while other threads waited: `n_waits` waits that ended or were
 * first seen (0: a wait counted before goes on), `delay_ns` in all. `frames`: the holder's stack,
 * leaf first, copied; `depth` 0: not known, charged to <lost samples>. `labels`: the holder's label
 * set at that moment. The caller has sampled already. Any thread may call this, with or without the
 * GIL; async-signal-safe. */
void sg_contention_record_gil(pid_t holder, const struct sg_frame *frames, uint32_t depth,
                              uint32_t labels, uint64_t n_waits, int64_t delay_ns);

/* ---- Stacks and locks ---- */

/* Take the stack of `thread`, a PyThreadState, with the frame of `leaf` on top. The thread is the
 * calling one (NULL = find its state), or one that waits in a call from its Python code and cannot
 * return while the caller holds the GIL. Caller holds the GIL, and is not in a signal handler. May
 * yield the processor for some microseconds. */
sg_contention_stack sg_contention_take_stack(const void *thread, enum sg_primitive leaf);

/* Return the number of the lock at `address`, from 1. A lock without a number gets one or, once
 * half of all numbers are given, that of its creation site. Returns 0 if the site is not known, or
 * if there is no room. Used for snapshots of waits. Any thread may call this without the GIL, but
 * not in a signal handler; it may yield for some microseconds. */
uint32_t sg_contention_lock(const void *address, enum sg_primitive primitive);
/* Report that the lock at `address` has died: the next object there gets a new number. Any thread
 * may call this. It never waits, and is cheap while no lock has a number. */
void sg_contention_lock_died(const void *address);

/* The state of locks/ and gil/ is in their own status. */
struct sg_contention_status {
    bool is_prepared;
    uint64_t block_rate_ns;
    uint64_t mutex_fraction;
    uint32_t gil_hz;
    uint64_t n_events;      /* records that were kept, and waits that were lost; unscaled */
    uint64_t n_lost;        /* of these, records that found no room */
    uint64_t n_lost_events; /* events that are missing in the timeline alone */
    uint64_t n_bad_walks;   /* stacks cut short */
    uint64_t n_locks;       /* numbers given */
    uint64_t n_buckets;     /* ids in use */
    uint64_t n_stack_nodes; /* frames in the tree of stacks */
    uint64_t table_bytes;   /* address space of the tables */
};
void sg_contention_status(struct sg_contention_status *status);

#endif
