/* The other waits that people suffer from: sleep, sockets and TLS, select and its kin, looking up
 * names, child processes. Of kind SG_CONTENTION_OTHER, so that the block profile proper stays what
 * Go's is; off unless asked for. An event loop of asyncio's that has nothing to do is of kind
 * SG_CONTENTION_IDLE, so that it does not drown the rest.
 *
 * A call counts with the time it took, sampled by the block rate: one that found its data ready
 * took little. All calls need the GIL unless they say otherwise. */
#ifndef STACKGLASS_LOCKS_BLOCKING_CALLS_H
#define STACKGLASS_LOCKS_BLOCKING_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Swap the functions of modules that are loaded; again, for those that have been loaded since.
 * After sg_contention_prepare. */
void sg_blocking_calls_install(void);
/* Put them back. Threads may be inside: they go on, and tell nothing. */
void sg_blocking_calls_remove(void);
bool sg_blocking_calls_are_installed(void); /* any thread */

/* What `tend` is to do. Any thread, no GIL. */
void sg_blocking_calls_request(bool are_wanted);
/* Is there anything for it to do: put on, take off, look for modules? Likewise. */
bool sg_blocking_calls_are_due(int64_t now_mono_ns);
/* Do it. Runs no code of the program's, imports nothing. */
void sg_blocking_calls_maintain(void);

/* A forked child: as removed. Between fork and its return, in the child. */
void sg_blocking_calls_after_fork_in_child(void);

#endif
