/* The process's threads as the sampler knows them: one slot each.
 *
 * A slot is filled and emptied by the engine's threads, under sg_threads_lock; its thread's own
 * signal handler finds it by a number or pointer that came with the signal, and makes sure that
 * the slot is its own before it touches it. */
#ifndef STACKGLASS_CPU_THREADS_H
#define STACKGLASS_CPU_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpu/sample.h"
#include "frames/walk.h"

enum { SG_MAX_THREADS = 4096, SG_NO_TIMER = -1, SG_NO_FD = -1 };

/* What is known of a thread that is sampled without a signal; while is_outside. */
struct sg_outside_state {
    uintptr_t thread;      /* its PyThreadState when last looked at, or 0 */
    uint64_t booked_ns;    /* its CPU clock up to which its time is accounted for */
    uint64_t seen_ns;      /* its CPU clock when last looked at */
    uint64_t due_since_ns; /* CLOCK_MONOTONIC when some of it was last accounted for */
};

struct sg_slot {
    _Atomic pid_t tid; /* 0 = free */

    /* Written under the lock, read by the handler. */
    _Atomic uint64_t period_ns;
    _Atomic bool is_fresh; /* armed, and no tick came since */
    /* ticker: the timer ticks at base + n × period; 0 = a signal from it stands for nothing */
    _Atomic uint64_t wall_base_ns, wall_period_ns;
    _Atomic bool was_asleep;  /* ticker: the timer's tick found it in a system call that waits */
    _Atomic uint64_t owed_ns; /* perf: what had passed of a period when another was set, likely */

    /* The handler's own, on the slot's thread. */
    _Atomic uintptr_t self; /* pthread_self(), learned at the first tick; 0 before */
    atomic_flag is_busy;
    uint64_t last_cpu_ns;                    /* thread CPU clock at the last tick */
    uint64_t wall_seen_ns, wall_seen_cpu_ns; /* ticker: both clocks at the timer's last tick */
    uint64_t last_timer_ns; /* the same at the last tick of a timer beside perf; 0 = none yet */
    uintptr_t stack_low;    /* C stack known to be mapped, [low, high) */
    uintptr_t stack_high;
    struct sg_page_cache pages;
    _Atomic uint32_t n_ticks;
    _Atomic uint32_t n_event_ticks; /* of them, perf's */
    _Atomic bool is_tick_sent;  /* ticker: by a signal that carries no slot, see signal_pipe.h */
    _Atomic bool is_first_over; /* perf's first, random period has passed: set the full one */

    /* Under the lock. */
    uint32_t generation; /* of the scan that saw it last */
    int perf_fd;
    int timer;
    int wall_timer;           /* ticker: a timer of the system's clock, see clock.h */
    uint32_t varied_ticks;    /* perf: n_ticks when its period was last drawn */
    uint64_t ticker_cpu_ns;   /* ticker: its CPU clock when last looked at */
    uint64_t ticker_seen_ns;  /* ticker: when that had moved */
    uint64_t ticker_asked_ns; /* ticker: when its state was asked for */
    uint64_t ticker_sent_ns;  /* ticker: its CPU clock when a signal was sent last */
    bool is_active;           /* ticker: it moved lately */
    bool is_napping;          /* ticker: to be looked at again in this tick */
    uint64_t watch_cpu_ns;    /* CPU clock and ticks when last looked after */
    uint32_t watch_ticks;
    uint64_t event_cpu_ns; /* CPU clock and perf's ticks when one had come, or should have */
    uint32_t event_ticks;
    bool is_blocked;   /* it blocks our signal, or is about to */
    bool is_starting;  /* the C library blocks everything while a thread starts: not armed yet */
    uint8_t n_running; /* ticker: looks in a row that found it running */
    uint8_t n_wall;    /* ticker: looks since the timer's period was drawn */
    uint8_t n_settles; /* starting: how often that was looked at */
    bool is_sent;      /* ticker: a signal was sent since it was armed … */
    uint32_t n_sent;   /* … the last when n_ticks was this: is it still, it was not taken */
    bool is_outside;   /* no clock is armed: outside_sampler.h has it */
    struct sg_outside_state outside;

    struct sg_frame frames[SG_MAX_DEPTH]; /* the handler's scratch */
};

/* Make room, once; open /proc/self/task. NULL, or one sentence that says why not. Calls below hold
 * the lock. */
const char *sg_threads_open(void);
void sg_threads_close(void);
/* Every slot free, without looking at what it held: for a forked child. Frees the room too. */
void sg_threads_discard(void);

void sg_threads_lock(void);
void sg_threads_unlock(void);
void sg_threads_reset_lock(void); /* in a forked child */

/* How many threads the process has, cheaply: 0 if that cannot be told. */
uint32_t sg_threads_count_all(void);

/* Compare /proc/self/task with the slots. `arrive` gets each new thread's slot, `leave` each ended
 * one's, before it is freed. */
typedef void sg_slot_fn(struct sg_slot *slot);
void sg_threads_scan(sg_slot_fn *arrive, sg_slot_fn *leave);
void sg_threads_each(sg_slot_fn *visit);
uint32_t sg_threads_count(void);

struct sg_slot *sg_threads_find(pid_t tid);
/* The signals that the slot's thread blocks, bit `signo` - 1 each; false if it has ended. Reads its
 * status file: some 20 µs. */
bool sg_threads_mask(const struct sg_slot *slot, uint64_t *blocked);
/* Does it run, or wait for a processor? Reads its stat file: some 10 µs. */
bool sg_threads_wants_processor(const struct sg_slot *slot);

/* A pointer that came with a signal, if it is a slot. Async-signal-safe, no lock. */
struct sg_slot *sg_threads_check(void *pointer);
/* The calling thread's slot; NULL = it has none. Takes longer with every thread. Async-signal-safe,
 * no lock. */
struct sg_slot *sg_threads_find_caller(void);

#endif
