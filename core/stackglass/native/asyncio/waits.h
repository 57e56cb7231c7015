/* The table of waiting tasks, and what a release is charged with.
 *
 *     await future ──▶ begin(the iterator that Future.__await__ has made)
 *                        … the event loop runs others …
 *     result, exception, cancellation: the iterator is freed ──▶ end ──▶ record_wait(TASK)
 *     release ──▶ charge: the waiters of the same lock ──▶ record_release
 *
 * As with threads' locks (locks/waits.h) each nanosecond of a waiter is charged once. All calls
 * need the GIL. */
#ifndef STACKGLASS_ASYNCIO_WAITS_H
#define STACKGLASS_ASYNCIO_WAITS_H

#include "asyncio/callers.h"

/* Make room: 0 or -1. */
int sg_asyncio_waits_prepare(void);
/* Forget all waiters, unrecorded. */
void sg_asyncio_waits_discard(void);
/* As discard without the GIL, in a forked child. */
void sg_asyncio_waits_abandon(void);

/* How many tasks wait: at 0 the next two need not be called. */
extern uint32_t sg_asyncio_waits_count;

/* The calling task is about to wait for `future`; `iterator` lives as long as it does. Both are
 * borrowed, and known by their addresses only. */
void sg_asyncio_waits_begin(const void *iterator, const void *future,
                            const struct sg_asyncio_call *call);
/* An iterator is freed; it need not be one of a wait. */
void sg_asyncio_waits_end(const void *iterator);
/* The calling Python code releases `call->held`, and has woken the task that awaits `future`. */
void sg_asyncio_waits_charge(const void *future, const struct sg_asyncio_call *call);

#endif
