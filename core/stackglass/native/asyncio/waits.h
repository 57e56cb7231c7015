/* Waiting tasks: a table of the tasks that wait, and how much of their delay each release has
 * caused.
 *
 *     await future ──▶ begin(the iterator that Future.__await__ has made)
 *                        … the event loop runs other tasks …
 *     result, exception, cancellation: the iterator is freed ──▶ end ──▶ record_wait(TASK)
 *     release ──▶ charge: the waiters of the same lock ──▶ record_release
 *
 * As with threads' locks (locks/waits.h), each nanosecond of a wait is charged to one release only.
 * All functions need the GIL. */
#ifndef STACKGLASS_ASYNCIO_WAITS_H
#define STACKGLASS_ASYNCIO_WAITS_H

#include "asyncio/callers.h"

/* Map the tables. Returns 0, or -1 if memory runs out. */
int sg_asyncio_waits_prepare(void);
/* Forget all waiters, without recording their waits. */
void sg_asyncio_waits_discard(void);
/* Does the same in a forked child, without the GIL. */
void sg_asyncio_waits_abandon(void);

/* Number of tasks that wait. While it is 0, `end` and `charge` need not be called. */
extern uint32_t sg_asyncio_waits_count;

/* The calling task is about to wait for `future`; `iterator` lives as long as the wait. Both are
 * kept as addresses, and never dereferenced. If there is no room, the wait is counted as lost
 * (sg_contention_lose_wait). */
void sg_asyncio_waits_begin(const void *iterator, const void *future,
                            const struct sg_asyncio_call *call);
/* `iterator` is being freed. If a wait was begun with it, the wait has ended. */
void sg_asyncio_waits_end(const void *iterator);
/* Return since when a task waits by `iterator`, which need not be one of a known wait; 0 = not
 * known. */
int64_t sg_asyncio_waits_since(const void *iterator);
/* The calling Python code releases `call->held`, and has woken the task that awaits `future`. */
void sg_asyncio_waits_charge(const void *future, const struct sg_asyncio_call *call);

#endif
