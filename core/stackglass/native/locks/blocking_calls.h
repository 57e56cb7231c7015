/* Blocking calls other than locks: sleep, sockets and TLS, select and poll, name look-ups, child
 * processes. They are of kind SG_CONTENTION_OTHER, so that the block profile proper stays like
 * Go's; off unless a client asks for them. An asyncio event loop that has nothing to do is of kind
 * SG_CONTENTION_IDLE.
 *
 * A call counts with its duration, sampled by the block rate. All calls here need the GIL unless
 * they say otherwise. */
#ifndef STACKGLASS_LOCKS_BLOCKING_CALLS_H
#define STACKGLASS_LOCKS_BLOCKING_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Patch the functions of loaded modules; again, for modules that were loaded since. After
 * sg_contention_prepare. */
void sg_blocking_calls_install(void);
/* Restore them. Calls under way end unrecorded. */
void sg_blocking_calls_remove(void);

/* Ask for them, or no longer; `maintain` acts on it. Any thread, no GIL. */
void sg_blocking_calls_request(bool are_wanted);
/* Is `maintain` due: to patch, to restore, or to search for modules? Any thread, no GIL. */
bool sg_blocking_calls_are_due(int64_t now_mono_ns);
/* Runs no code of the program, imports nothing. */
void sg_blocking_calls_maintain(void);

/* In a forked child, before fork returns: as remove. */
void sg_blocking_calls_after_fork_in_child(void);

#endif
