/* Outside walk: the Python frames of another thread, read without a signal and without the GIL.
 *
 *     c1 = the thread's CPU clock ─▶ frames, copied by calls that cannot fault ─▶ c2
 *
 *     c1 == c2 and the chain ends in its root:  the stack is exact
 *     c1 != c2:                                 the thread ran: no stack, and no guess
 *
 * A waiting thread always gives a stack. A thread that runs on another core never does: the reader
 * must be on its core, where the thread cannot run meanwhile (cpu/outside_sampler.h). No waiting,
 * no allocation, no Python. Any number of engine threads at once. */
#ifndef STACKGLASS_FRAMES_OUTSIDE_WALK_H
#define STACKGLASS_FRAMES_OUTSIDE_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/code_ids.h"

enum sg_outside_result {
    SG_OUTSIDE_STACK,      /* `frames` is exact when the clock reads `cpu_ns` */
    SG_OUTSIDE_NO_PYTHON,  /* exact: no thread state (`thread` is 0), or one without frames */
    SG_OUTSIDE_MOVED,      /* the thread ran during the read, or has ended */
    SG_OUTSIDE_UNREADABLE, /* it did not run, but its frames form no chain down to a root: it was
                            * stopped between two stores that belong together */
};

struct sg_outside_walk {
    pid_t tid;
    uintptr_t thread;        /* in: its PyThreadState, which may have been freed, or 0.
                              * out: the one found */
    struct sg_frame *frames; /* leaf first; room for `capacity` ≥ 2. A deeper stack keeps its leaf
                              * side and ends in SG_TRUNCATED */
    uint32_t capacity;
    uint32_t depth;  /* out */
    uint64_t cpu_ns; /* out: the thread's CPU clock before the read */
    uint32_t labels; /* out: its label set; as exact as the frames */
};

/* Once a session, with the GIL held, after sg_debug_offsets_prepare. If frames cannot be read this
 * way in this interpreter, every walk returns SG_OUTSIDE_UNREADABLE. */
void sg_outside_walk_prepare(void);

enum sg_outside_result sg_outside_walk(struct sg_outside_walk *walk);

#endif
