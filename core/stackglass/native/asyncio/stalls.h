/* Stalls: callbacks that block an event loop.
 *
 *     loop's thread     Handle._run ─▶ begin ─────────── a callback ───────────▶ end ─▶ record_wait
 *     engine's threads          are_due? … after 1/2, 1, 2, 4 … times the threshold ─▶ take stack
 *
 * So the last stack was usually taken in the second half of the stall, whatever its length. A stack
 * of the first quarter does not count: the stall may have another cause. A stall without a stack
 * (it ended shortly after the threshold, or C code kept the GIL) is recorded as <event loop>.
 * The threshold is sg_contention_stall_ns() when the callback ends. */
#ifndef STACKGLASS_ASYNCIO_STALLS_H
#define STACKGLASS_ASYNCIO_STALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "contention/contention.h"

/* A callback that runs. Written with the GIL, by the loop's thread and by the job that takes
 * stacks; atomic for readers without the GIL. */
struct sg_asyncio_running {
    _Atomic int64_t since_mono_ns; /* 0 = no callback runs */
    _Atomic int64_t due_mono_ns;   /* when the callback's stack is to be taken */
    int64_t taken_mono_ns;         /* when `stack` was taken */
    sg_contention_stack stack;     /* SG_CONTENTION_OWN_STACK = not taken yet */
    uint32_t labels;               /* of the callback when its stack was taken */
};

/* What `begin` keeps for `end`. */
struct sg_asyncio_callback {
    int slot; /* -1 = no slot was left: the callback is not watched, and nothing counts that */
    int64_t since_mono_ns;
    struct sg_asyncio_running outer; /* the callback around it, if the thread's loops are nested */
};
/* Both are called on the loop's thread, with the GIL. */
struct sg_asyncio_callback sg_asyncio_stalls_begin(void);
void sg_asyncio_stalls_end(struct sg_asyncio_callback *callback);

/* Whether a callback has run long enough that its stack is to be taken. Any thread may call this
 * without the GIL. */
bool sg_asyncio_stalls_are_due(int64_t now_mono_ns);
/* Take the stacks that are due. Caller holds the GIL. */
void sg_asyncio_stalls_sample(void);

/* Forget the running callbacks: they are not recorded. Called with the GIL, or in a forked
 * child. */
void sg_asyncio_stalls_forget(void);

#endif
