/* Hooks for asyncio's waits and stalls, in C functions of the interpreter, so that no object of the
 * program changes, no frame is added and no coroutine is wrapped:
 *
 *     _asyncio.Future   __await__'s slot ─▶ waits.h: begin     every await of a future
 *     its iterator      tp_dealloc       ─▶ waits.h: end       however the await ended
 *     _asyncio.Future   set_result       ─▶ waits.h: charge    a Lock's or Semaphore's
 *     Context           run              ─▶ stalls.h           an event loop's callbacks
 *
 * They are installed while asyncio is loaded and a rate other than the GIL's is not 0. Waits under
 * way when they are removed are not recorded. */
#ifndef STACKGLASS_ASYNCIO_HOOKS_H
#define STACKGLASS_ASYNCIO_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* From now on `maintain` may put them on: after sg_contention_prepare, with the GIL. */
void sg_asyncio_hooks_open(void);
/* Remove them for good. Before sg_contention_unprepare, with the GIL. */
void sg_asyncio_hooks_close(void);
/* In a forked child, before fork returns: as close. */
void sg_asyncio_hooks_after_fork_in_child(void);

/* Is `maintain` due: rates have changed, asyncio may have been imported, an event loop stalls? Any
 * thread, no GIL; a handful of loads. */
bool sg_asyncio_hooks_are_due(int64_t now_mono_ns);
/* Do it. With the GIL; runs no code of the program's, imports nothing. */
void sg_asyncio_hooks_maintain(void);

bool sg_asyncio_hooks_are_on(void); /* any thread */

#endif
