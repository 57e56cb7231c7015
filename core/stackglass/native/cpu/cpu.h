/* The CPU profiler as the writer sees it: start it, keep it going, drain it.
 *
 * One thread, the writer, calls everything here, except where a line says otherwise. */
#ifndef STACKGLASS_CPU_CPU_H
#define STACKGLASS_CPU_CPU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/code_ids.h"
#include "interpreter/calling_thread.h"

enum { SG_MAX_DEPTH = 512, SG_MAX_HZ = 10000 };

enum sg_clock {
    SG_CLOCK_AUTO = 0,
    SG_CLOCK_PERF,       /* perf task-clock, user and kernel time */
    SG_CLOCK_PERF_TIMER, /* perf task-clock for user time, thread CPU timers for kernel time */
    SG_CLOCK_TICKER,     /* a thread of ours signals the threads whose CPU clock has moved */
    SG_CLOCK_TIMER,      /* thread CPU timers alone */
    SG_CLOCK_OUTSIDE,    /* no signal: a thread of ours reads the frames of those that run */
};
const char *sg_cpu_clock_name(enum sg_clock clock);

struct sg_sample {
    pid_t tid;       /* 0 = of no one thread: lost samples */
    uint32_t labels; /* label set; 0 = none */
    uint32_t time;   /* SG_TIME_UNIT_NS units since the start */
    uint32_t count;  /* samples */
    uint64_t cpu_ns; /* what they stand for; see sg_cpu_drain */
    uint32_t depth;
    const struct sg_frame *frames; /* leaf first; (depth,) */
};
typedef void sg_sample_fn(void *context, const struct sg_sample *sample);

/* How far off shares of CPU time may be while other processes keep all processors busy. */
struct sg_share_error {
    uint32_t points;   /* percentage points; 0 = 5 at most */
    const char *cause; /* a clause, lifetime of the process; "" = no error above 5 */
};

struct sg_cpu_status {
    int hz;                  /* asked; 0 = off */
    const char *problem;     /* why nothing is sampled though a rate was asked for; "" = it is */
    enum sg_clock clock;     /* in use */
    uint64_t n_samples;      /* stored, cumulative */
    uint64_t n_lost;         /* could not be stored, cumulative */
    uint64_t n_bad_walks;    /* stacks cut short by the guard, cumulative */
    uint64_t process_cpu_ns; /* used by the process since the start, less the engine's threads */
    uint64_t engine_cpu_ns;  /* used by the engine's threads since the start */
    uint32_t n_threads;      /* the process's threads, less the engine's */
    struct sg_share_error share_error; /* 0 while the rate is 0 or nothing is sampled */
};

/* What needs the GIL, once a session: find the interpreter's layout, hook code deallocation,
 * thread start and signal.signal. NULL, or one English sentence that says why not, and then
 * nothing has been changed. Caller holds the GIL. */
const char *sg_cpu_prepare(void);
/* Undo sg_cpu_prepare. Sampling has stopped. Caller holds the GIL, or no Python thread runs. */
void sg_cpu_unprepare(void);

/* Compare a native walk of the calling thread with the frames Python shows; NULL or what differs.
 * Caller holds the GIL and called from Python code. */
const char *sg_snapshot_self_check(void);

/* Start at `hz` (0 = armed but off), times counted from `start_mono_ns`. Needs no GIL.
 * NULL, or one sentence that says why nothing is sampled: it is started all the same, and
 * sg_cpu_stop has to follow. Not started only if it runs already or is not prepared. */
const char *sg_cpu_start(int hz, enum sg_clock clock, int64_t start_mono_ns);
/* 0…10 000. Acts on every thread before it returns. Tries again what was refused. Needs no GIL. */
void sg_cpu_set_rate(int hz);
/* Why no CPU profile can be had at any rate, and why not even the program's threads are watched,
 * without which the GIL's holders are not seen either. "" = they can; also before the start. After
 * the stop, as it was. */
const char *sg_cpu_problem(void);
const char *sg_cpu_watch_problem(void);
/* Disarm every thread, restore the signal; samples already taken can still be drained. */
void sg_cpu_stop(void);

/* Every few milliseconds while started: find new threads, forget dead ones, keep the signal. */
void sg_cpu_tend(void);
/* Hand every sample taken since the last drain to `deliver`, and weigh them so that the sum of
 * cpu_ns over all drains follows the CPU time that the process used. Returns how many. */
size_t sg_cpu_drain(sg_sample_fn *deliver, void *context);
void sg_cpu_status(struct sg_cpu_status *status);

/* The calling thread belongs to the engine: never sampled, its CPU time not the program's. */
void sg_cpu_adopt_engine_thread(void);
void sg_cpu_disown_engine_thread(void);

/* Every Python thread's stack now, leaf first. Caller holds the GIL. */
void sg_cpu_snapshot(sg_sample_fn *deliver, void *context);

/* A forked child: no events and no threads came along; back to "never started", every hook and
 * signal as it was. Called between fork and its return, in the child. */
void sg_cpu_after_fork_in_child(void);

#endif
