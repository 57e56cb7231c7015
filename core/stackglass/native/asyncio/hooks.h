/* Hooks for asyncio's waits and stalls, in C functions of the interpreter, so that no object of the
 * program changes, no frame is added and no coroutine is wrapped:
 *
 *     _asyncio.Future   __await__'s slot ─▶ waits.h: begin     every await of a future
 *     its iterator      tp_dealloc       ─▶ waits.h: end       however the await ended
 *     _asyncio.Future   set_result       ─▶ waits.h: charge    if it releases a Lock or Semaphore
 *     Context           run              ─▶ stalls.h           callbacks of an event loop
 *
 * They are installed while asyncio is loaded and a rate other than the GIL's is not 0. Waits under
 * way when they are removed are not recorded. */
#ifndef STACKGLASS_ASYNCIO_HOOKS_H
#define STACKGLASS_ASYNCIO_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* From now on sg_asyncio_hooks_maintain may install the hooks. Called after sg_contention_prepare,
 * with the GIL. */
void sg_asyncio_hooks_open(void);
/* Remove the hooks for good. Called before sg_contention_unprepare, with the GIL. */
void sg_asyncio_hooks_close(void);
/* Does the same in a forked child, before fork returns, without the GIL. */
void sg_asyncio_hooks_after_fork_in_child(void);

/* Whether sg_asyncio_hooks_maintain is due: have rates changed, may asyncio have been imported,
 * does an event loop stall? Any thread may call this without the GIL; it costs a handful of
 * loads. */
bool sg_asyncio_hooks_are_due(int64_t now_mono_ns);
/* Install or remove the hooks, and take the stacks of stalls. Called with the GIL; runs no code of
 * the program, and imports nothing. */
void sg_asyncio_hooks_maintain(void);

/* Look for functions of asyncio that the program has replaced since the hooks were installed.
 * Called with the GIL; runs no code of the program. */
void sg_asyncio_hooks_check(void);

bool sg_asyncio_hooks_are_on(void); /* any thread */

#endif
