/* Blocking calls other than locks: sleep, sockets and TLS, select and poll, name look-ups, child
 * processes. Their waits have a kind of their own, SG_CONTENTION_OTHER, so that the rest of the
 * block profile stays like Go's; they are recorded only if a client requests them. The wait of an
 * asyncio event loop that has nothing to do has the kind SG_CONTENTION_IDLE.
 *
 * A call counts with its duration, sampled by the block rate. All functions here need the GIL
 * unless they say otherwise. */
#ifndef STACKGLASS_LOCKS_BLOCKING_CALLS_H
#define STACKGLASS_LOCKS_BLOCKING_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Request that blocking calls are recorded, or withdraw the request; `maintain` acts on it. Any
 * thread, no GIL. */
void sg_blocking_calls_request(bool are_wanted);
/* Whether `maintain` is due, to patch, to restore, or to search for modules. Any thread, no GIL. */
bool sg_blocking_calls_are_due(int64_t now_mono_ns);
/* If blocking calls are requested, patch the functions of all modules that are imported; otherwise
 * restore the functions, and calls that are under way are not recorded when they end. Called after
 * sg_contention_prepare. Runs no code of the program and imports nothing. */
void sg_blocking_calls_maintain(void);

/* Restore the functions in a forked child, before fork returns. */
void sg_blocking_calls_after_fork_in_child(void);

#endif
