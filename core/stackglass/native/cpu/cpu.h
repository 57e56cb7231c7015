/* CPU profiler: its states, its rate, and the samples that it delivers.
 *
 * Only the writer calls these functions, except where a line says otherwise. */
#ifndef STACKGLASS_CPU_CPU_H
#define STACKGLASS_CPU_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/clock.h"
#include "cpu/sample.h"
#include "cpu/share_error.h"

enum { SG_MAX_HZ = 10000 };

struct sg_cpu_status {
    int hz;                    /* requested rate; 0 = off */
    const char *problem;       /* why nothing is sampled at the requested rate; "" = it is */
    enum sg_clock clock;       /* in use; before one is chosen, the requested one */
    uint64_t n_samples;        /* delivered since the start */
    uint64_t n_lost;           /* not stored, since the start */
    uint64_t n_bad_walks;      /* stacks cut short by the guard, since the process began */
    uint64_t n_unknown_labels; /* samples whose label set could not be read, cumulative */
    uint64_t process_cpu_ns;   /* used by the process since the start, less the engine's threads */
    uint64_t engine_cpu_ns;    /* used by the engine's threads since the start */
    uint32_t n_threads;        /* the process's threads, less the engine's */
    uint32_t n_unsampled_threads; /* of these, for which there was no room */
    const char *native_problem;   /* why stacks have no C frames; "" = they have, or they are off */
    bool is_native_ready;         /* stacks have C frames from now on */
    const char *wall_problem; /* why waiting threads are not sampled; "" = they are, or it is off */
    uint64_t n_native_stacks; /* with C frames, since the process began */
    uint64_t n_truncated_stacks;       /* of these, with C frames missing */
    struct sg_share_error share_error; /* 0 while the rate is 0 or nothing is sampled */
};

/* Find what sg_cpu_prepare, and the jobs after it, need to know of the loaded libraries. Called
 * before it, without the GIL: a thread that holds the loader's lock may wait for the GIL. */
void sg_cpu_search_libraries(void);
/* Find the interpreter's offsets; hook code deallocation, thread start, signal.signal, and the
 * functions that block signals or wait for them. Called once for each attach. Returns NULL, or one
 * sentence that says why not; then nothing has been changed. Caller holds the GIL. */
const char *sg_cpu_prepare(void);
/* Undo sg_cpu_prepare, after sampling has stopped. `may_discard`: no hook of the memory trace reads
 * a stack any more; else the tables stay mapped. Caller holds the GIL, or no Python thread runs. */
void sg_cpu_unprepare(bool may_discard);

/* Note that an injector has stopped the calling thread to run this, and that the thread blocks
 * signals that it does not block by itself. Called before the start. */
void sg_cpu_note_visited(void);

/* Start at `hz` (0 = armed but off), with times counted from `start_mono_ns`. Returns NULL, or one
 * sentence that says why nothing is sampled. In both cases the profiler is started and needs an
 * sg_cpu_stop, unless the sentence says that it was running already or is not prepared. Needs no
 * GIL. */
const char *sg_cpu_start(int hz, enum sg_clock clock, int64_t start_mono_ns);
/* Set the rate, 0…10 000 Hz, for every thread, and retry the parts of the start that have failed.
 * Needs no GIL. */
void sg_cpu_set_rate(int hz);
/* Return why there is no CPU profile, whatever the rate. "" = nothing is wrong, or not started.
 * Unchanged by a stop. */
const char *sg_cpu_problem(void);
/* Return why threads are not watched, which the GIL profile needs too. "" as above. */
const char *sg_cpu_watch_problem(void);
/* Disarm every thread and restore the signal; samples already taken can still be drained. */
void sg_cpu_stop(void);

/* Called every few milliseconds while started: find new and ended threads, and check the signal. */
void sg_cpu_maintain(void);
/* Deliver every sample taken since the last drain, weighted so that the sum of cpu_ns over all
 * drains follows the CPU time that the process used. */
void sg_cpu_drain(sg_sample_fn *deliver, void *context);
void sg_cpu_status(struct sg_cpu_status *status);

/* In a forked child, which inherits no events and no threads: back to "never started", with every
 * hook and the signal restored. Called in the child before fork returns. */
void sg_cpu_after_fork_in_child(void);

#endif
