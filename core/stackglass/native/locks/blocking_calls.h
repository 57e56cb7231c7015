/* Blocking calls other than locks: sleep, sockets and TLS, select and poll, name look-ups, child
 * processes. They are of kind SG_CONTENTION_OTHER, so that the block profile proper stays like
 * Go's; off unless a client requests them. An asyncio event loop that has nothing to do is of kind
 * SG_CONTENTION_IDLE.
 *
 * A call counts with its duration, sampled by the block rate. All calls here need the GIL unless
 * they say otherwise. */
#ifndef STACKGLASS_LOCKS_BLOCKING_CALLS_H
#define STACKGLASS_LOCKS_BLOCKING_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Request them, or withdraw the request; `maintain` acts on it. Any thread, no GIL. */
void sg_blocking_calls_request(bool are_wanted);
/* Is `maintain` due: to patch, to restore, or to search for modules? Any thread, no GIL. */
bool sg_blocking_calls_are_due(int64_t now_mono_ns);
/* If they are requested, patch the functions of all modules that are imported; otherwise restore
 * them, and calls under way are not recorded when they end. After sg_contention_prepare. Runs no
 * code of the program, imports nothing. */
void sg_blocking_calls_maintain(void);

/* In a forked child, before fork returns: restore them. */
void sg_blocking_calls_after_fork_in_child(void);

#endif
