/* Threads of the process: a slot for each.
 *
 * The engine's threads fill and empty slots under sg_threads_lock. A signal carries a number or a
 * pointer by which the thread's handler finds the slot; the handler checks that the slot is its own
 * thread's before it uses it. */
#ifndef STACKGLASS_CPU_THREADS_H
#define STACKGLASS_CPU_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpu/sample.h"
#include "frames/walk.h"
#include "unwind/stack.h"

enum { SG_MAX_THREADS = 4096, SG_NO_TIMER = -1, SG_NO_FD = -1 };

/* State of a thread that is sampled without a signal, while is_outside. */
struct sg_outside_state {
    uintptr_t thread;      /* its PyThreadState when one was last found, or 0 */
    uint64_t booked_ns;    /* CPU clock up to which its time is booked */
    uint64_t seen_ns;      /* CPU clock when last looked at */
    uint64_t due_since_ns; /* CLOCK_MONOTONIC when time was last booked */
};

struct sg_slot {
    _Atomic pid_t tid;      /* 0 = free */
    _Atomic bool is_native; /* its samples have C frames; written under the lock */

    /* Written under the lock, read by the handler; the handler also clears is_fresh and owed_ns,
     * and sets was_asleep. */
    _Atomic uint64_t period_ns;
    _Atomic bool is_fresh; /* armed, and has not ticked since */
    /* ticker: the wall timer ticks at base + n × period; 0 = its signals do not count */
    _Atomic uint64_t wall_base_ns, wall_period_ns;
    _Atomic bool was_asleep;  /* ticker: a wall tick found it in a waiting system call */
    _Atomic uint64_t owed_ns; /* perf: estimated time lost when the period was changed */

    /* Used by the handler on the slot's thread. The last four are also used under the lock. */
    _Atomic uintptr_t self; /* pthread_self(), learned at the first signal; 0 before */
    atomic_flag is_busy;
    uint64_t last_cpu_ns; /* thread CPU clock at the last tick; beside perf, the timer's */
    uint64_t wall_seen_ns, wall_seen_cpu_ns; /* ticker: both clocks at the last wall tick */
    uintptr_t stack_low;                     /* C stack known to be mapped, [low, high) */
    uintptr_t stack_high;
    struct sg_page_cache pages;
    struct sg_unwind_stack native_stack;
    _Atomic uint32_t n_ticks;
    _Atomic uint32_t n_event_ticks; /* of these, perf's */
    _Atomic bool is_tick_sent;      /* ticker: by the signal pipe, which carries no slot */
    _Atomic bool is_first_over;     /* perf: the first tick has come; set the full period */

    /* Used under the lock only, except perf_fd, which the handler reads. */
    uint32_t generation; /* of the scan that saw it last */
    int perf_fd;
    int timer;
    int wall_timer;           /* ticker: see clock_timer.h */
    uint32_t varied_ticks;    /* perf: n_ticks when its period was last drawn */
    uint64_t ticker_cpu_ns;   /* ticker: CPU clock when last looked at */
    uint64_t ticker_seen_ns;  /* ticker: when the CPU clock last moved */
    uint64_t ticker_asked_ns; /* ticker: when the thread's state was last read */
    uint64_t ticker_sent_ns;  /* ticker: CPU clock at the last signal, or last look with a timer */
    bool is_active;           /* ticker: the CPU clock has moved recently */
    bool is_napping;          /* ticker: to be looked at again in this tick */
    uint64_t watch_cpu_ns;    /* CPU clock and ticks at the last watch that found nothing wrong */
    uint32_t watch_ticks;
    uint64_t event_cpu_ns; /* like watch_cpu_ns, but for perf's ticks alone */
    uint32_t event_ticks;
    bool is_blocked;   /* blocks the sampler's signal, or is about to */
    uint64_t asked_ns; /* when it asked for no signal, CLOCK_MONOTONIC; 0 = not, or no more */
    bool is_starting;  /* not armed yet: the C library blocks all signals while a thread starts */
    uint8_t n_running; /* ticker: looks in a row at which it wanted a processor, at most 3 */
    uint8_t n_wall;    /* ticker: looks since the timer's period was drawn */
    uint8_t n_settles; /* starting: number of checks */
    uint64_t settle_at_ns; /* starting: when the next check is due, CLOCK_MONOTONIC */
    uint64_t start_cpu_ns; /* starting: CPU clock from which on its time is to be booked */
    bool is_sent;          /* ticker: a signal was sent since the thread was armed */
    uint32_t n_sent;       /* ticker: n_ticks when it was sent; unchanged = not handled yet */
    bool is_outside;       /* no clock is armed: sampled by outside_sampler.h */
    struct sg_outside_state outside;

    struct sg_frame frames[SG_MAX_DEPTH]; /* scratch of the handler */
};

/* Map the first slots and open /proc/self/task. Returns NULL, or one sentence that says why not.
 * The functions below need the lock, unless a line says otherwise. */
const char *sg_threads_open(void);
void sg_threads_close(void);
/* Unmap all slots without disarming them; also in a forked child. */
void sg_threads_discard(void);

void sg_threads_lock(void);
void sg_threads_unlock(void);
void sg_threads_reset_lock(void); /* in a forked child */

/* Return the number of threads of the process, by one cheap call; 0 = not known. */
uint32_t sg_threads_count_all(void);

/* Compare /proc/self/task with the slots. `arrive` gets the slot of each new thread, `leave` that
 * of each ended thread before it is freed. */
typedef void sg_slot_fn(struct sg_slot *slot);
void sg_threads_scan(sg_slot_fn *arrive, sg_slot_fn *leave);
void sg_threads_each(sg_slot_fn *visit);
uint32_t sg_threads_count(void);
/* Return the number of threads that the last scan found no slot for: beyond SG_MAX_THREADS, or for
 * want of memory. They are not sampled. */
uint32_t sg_threads_count_unsampled(void);

/* Set whether samples have C frames, for all threads, also for those to come. */
void sg_threads_set_native(bool is_native);

/* Return the slot of a thread; NULL = it has none. */
struct sg_slot *sg_threads_find(pid_t tid);
/* Read which signals the slot's thread blocks, as bit `signo` - 1 of `*blocked`. Returns false if
 * the thread has ended. A thread in the sampler's handler counts as blocking none: it gets the
 * signal when the handler returns. Reads the thread's status file: some 20 µs. */
bool sg_threads_mask(const struct sg_slot *slot, uint64_t *blocked);
/* Note that the calling thread was stopped to run this, with signals blocked that it does not block
 * itself. While the thread has that mask, sg_threads_mask() adds the C library's signals to the
 * mask. Called without the lock. */
void sg_threads_note_visited(void);
/* Whether the thread runs or waits for a processor. Reads its stat file: some 10 µs. */
bool sg_threads_wants_processor(const struct sg_slot *slot);

/* Return the slot at `pointer`, which came with a signal, or NULL if there is none.
 * Async-signal-safe, needs no lock. */
struct sg_slot *sg_threads_check(void *pointer);
/* Return the calling thread's slot, or NULL if it has none. Linear in the number of threads.
 * Async-signal-safe, needs no lock. */
struct sg_slot *sg_threads_find_caller(void);

#endif
