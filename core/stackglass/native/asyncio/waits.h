/* Waiting tasks: a table of them, and how much of their delay each release has caused.
 *
 *     await future ──▶ begin(the iterator that Future.__await__ has made)
 *                        … the event loop runs others …
 *     result, exception, cancellation: the iterator is freed ──▶ end ──▶ record_wait(TASK)
 *     release ──▶ charge: the waiters of the same lock ──▶ record_release
 *
 * As with threads' locks (locks/waits.h), each nanosecond of a wait is charged to one release only.
 * All calls need the GIL. */
#ifndef STACKGLASS_ASYNCIO_WAITS_H
#define STACKGLASS_ASYNCIO_WAITS_H

#include "asyncio/callers.h"

/* Map the tables. 0, or -1 if memory runs out. */
int sg_asyncio_waits_prepare(void);
/* Forget all waiters, unrecorded. */
void sg_asyncio_waits_discard(void);
/* As discard, but without the GIL, in a forked child. */
void sg_asyncio_waits_abandon(void);

/* How many tasks wait. While it is 0, `end` and `charge` need not be called. */
extern uint32_t sg_asyncio_waits_count;

/* The calling task is about to wait for `future`; `iterator` lives as long as the wait. Both
 * are kept as addresses, and never dereferenced. */
void sg_asyncio_waits_begin(const void *iterator, const void *future,
                            const struct sg_asyncio_call *call);
/* An iterator is freed. If it is one of a wait, the wait has ended. */
void sg_asyncio_waits_end(const void *iterator);
/* The calling Python code releases `call->held`, and has woken the task that awaits `future`. */
void sg_asyncio_waits_charge(const void *future, const struct sg_asyncio_call *call);

#endif
