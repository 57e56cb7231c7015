/* Outside walk: the Python frames of another thread, read without a signal and without the GIL.
 *
 *     c1 = CPU clock of the thread ─▶ copy its frames, by calls that cannot fault ─▶ c2 = CPU clock
 *
 *     c1 == c2 and the chain ends in its root:  the stack is exact
 *     c1 != c2:                                 the thread ran: there is no stack, and no guess
 *
 * A waiting thread always gives a stack. A thread that runs on another core never does: the reader
 * must be on its core, where the thread cannot run meanwhile (cpu/outside_sampler.h). A walk
 * neither waits nor allocates nor runs Python. Several engine threads may walk at the same time. */
#ifndef STACKGLASS_FRAMES_OUTSIDE_WALK_H
#define STACKGLASS_FRAMES_OUTSIDE_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/code_ids.h"

enum sg_outside_result {
    SG_OUTSIDE_STACK,      /* `frames` is the stack at the time `cpu_ns` of the thread's clock */
    SG_OUTSIDE_NO_PYTHON,  /* the thread has no thread state (`thread` is 0), or no frames */
    SG_OUTSIDE_MOVED,      /* the thread ran during the read, or has ended; or the lists of thread
                            * states changed during each of several searches */
    SG_OUTSIDE_UNREADABLE, /* the thread did not run, but its frames form no chain down to a root:
                            * it was stopped between two stores that belong together */
};

struct sg_outside_walk {
    pid_t tid;
    uintptr_t thread; /* in: the thread's last known PyThreadState, which may have been freed,
                       * or 0. out: its present one, or 0 */
    struct sg_frame *frames; /* leaf first; room for `capacity` ≥ 2. A deeper stack keeps its leaf
                              * side and ends in SG_TRUNCATED */
    uint32_t capacity;
    uint32_t depth;  /* out */
    uint64_t cpu_ns; /* out: the thread's CPU clock before the read */
    uint32_t labels; /* out: the thread's label set; as exact as the frames */
};

/* Find out whether frames can be read in this way in this interpreter; if not, every walk returns
 * SG_OUTSIDE_UNREADABLE. Called once for each attach with the GIL held, after
 * sg_debug_offsets_prepare. */
void sg_outside_walk_prepare(void);

/* Read the frames of the thread `walk->tid`. */
enum sg_outside_result sg_outside_walk(struct sg_outside_walk *walk);

#endif
