/* Callbacks that keep an event loop from everything else.
 *
 *     loop's thread     Handle._run ─▶ begin ─────────── a callback ───────────▶ end ─▶ note_wait
 *     engine's threads          are_due? … after 1/2, 1, 2, 4 … times the threshold ─▶ take stack
 *
 * So the stack that is told was seen in the second half of the stall, whatever its length. One that
 * was over before anybody could look (a threshold is missed by less than a look's distance, or C
 * code that kept the GIL until the end) is told without a stack. The threshold is
 * sg_contention_stall_ns(), as it is when the callback ends. */
#ifndef STACKGLASS_ASYNCIO_STALLS_H
#define STACKGLASS_ASYNCIO_STALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "contention/contention.h"

/* What `begin` has put aside for `end`: loops may run inside each other. */
struct sg_asyncio_callback {
    int place; /* -1 = not watched */
    int64_t since_mono_ns;
    sg_contention_stack stack;
};
/* On the loop's thread, with the GIL. */
struct sg_asyncio_callback sg_asyncio_stalls_begin(void);
void sg_asyncio_stalls_end(const struct sg_asyncio_callback *outer);

/* Is a look at a stack due? Any thread, no GIL. */
bool sg_asyncio_stalls_are_due(int64_t now_mono_ns);
/* Look. With the GIL. */
void sg_asyncio_stalls_look(void);

/* Callbacks under way will not be told. With the GIL, or in a forked child. */
void sg_asyncio_stalls_forget(void);

#endif
