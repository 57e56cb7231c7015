/* Tasks that wait for asyncio's primitives, and what a release has to answer for.
 *
 *     await future ──▶ begin(the iterator that Future.__await__ has made)
 *                        … the event loop runs others …
 *     result, exception, cancellation: the iterator is let go of ──▶ end ──▶ note_wait(TASK)
 *     release ──▶ charge: those who wait for the same lock ──▶ note_mutex
 *
 * As with threads' locks (locks/waits.h) each nanosecond of a waiter is charged once. All calls
 * need the GIL. */
#ifndef STACKGLASS_ASYNCIO_WAITS_H
#define STACKGLASS_ASYNCIO_WAITS_H

#include "asyncio/callers.h"

/* Make room: 0 or -1. */
int sg_asyncio_waits_prepare(void);
/* Everybody who waits is forgotten, and nothing of them will be noted. */
void sg_asyncio_waits_discard(void);
/* Likewise without the GIL, in a forked child. */
void sg_asyncio_waits_abandon(void);

/* How many wait: what there is to ask for before the next two are called. */
extern uint32_t sg_asyncio_waits_count;

/* The calling task is about to wait for `future`; `iterator` lives as long as it does. Both are
 * borrowed, and known by their addresses only. */
void sg_asyncio_waits_begin(const void *iterator, const void *future,
                            const struct sg_asyncio_call *call);
/* The iterator dies. It need not be known. */
void sg_asyncio_waits_end(const void *iterator);
/* The calling Python code lets go of `call->held`, and has woken who waits for `future`. */
void sg_asyncio_waits_charge(const void *future, const struct sg_asyncio_call *call);

#endif
