/* The CPU profiler as the writer sees it: start it, keep it going, drain it.
 *
 * One thread, the writer, calls everything here, except where a line says otherwise. */
#ifndef STACKGLASS_CPU_CPU_H
#define STACKGLASS_CPU_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/clock.h"
#include "cpu/sample.h"
#include "cpu/share_error.h"

enum { SG_MAX_HZ = 10000 };

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

/* A forked child: no events and no threads came along; back to "never started", every hook and
 * signal as it was. Called between fork and its return, in the child. */
void sg_cpu_after_fork_in_child(void);

#endif
