/* Stalls: callbacks that block an event loop.
 *
 *     loop's thread     Handle._run ─▶ begin ─────────── a callback ───────────▶ end ─▶ record_wait
 *     engine's threads          are_due? … after 1/2, 1, 2, 4 … times the threshold ─▶ take stack
 *
 * So the stack was taken in the second half of the stall, whatever its length. A stall that ended
 * before its stack could be taken (shortly after the threshold, or C code that kept the GIL until
 * the end) is recorded without a stack. The threshold is sg_contention_stall_ns() when the callback
 * ends. */
#ifndef STACKGLASS_ASYNCIO_STALLS_H
#define STACKGLASS_ASYNCIO_STALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "contention/contention.h"

/* The callback of the outer loop, if the thread's loops are nested: `begin` saves it for `end`. */
struct sg_asyncio_callback {
    int place; /* -1 = no place was left: the callback is not watched */
    int64_t since_mono_ns;
    sg_contention_stack stack;
    uint32_t labels;
};
/* Both are called on the loop's thread, with the GIL. */
struct sg_asyncio_callback sg_asyncio_stalls_begin(void);
void sg_asyncio_stalls_end(const struct sg_asyncio_callback *outer);

/* Whether a callback has run long enough that its stack is to be taken. Any thread may call this
 * without the GIL. */
bool sg_asyncio_stalls_are_due(int64_t now_mono_ns);
/* Take the stacks that are due. Caller holds the GIL. */
void sg_asyncio_stalls_sample(void);

/* Forget the running callbacks: they are not recorded. Called with the GIL, or in a forked
 * child. */
void sg_asyncio_stalls_forget(void);

#endif
