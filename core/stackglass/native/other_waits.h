/* The other waits that people suffer from: sleep, sockets, select and its kin, child processes. Of
 * kind SG_CONTENTION_OTHER, so that the block profile proper stays what Go's is; off unless asked
 * for.
 *
 * A call counts with the time it took, sampled by the block rate: one that found its data ready
 * took little. All calls need the GIL unless they say otherwise. */
#ifndef STACKGLASS_OTHER_WAITS_H
#define STACKGLASS_OTHER_WAITS_H

#include <stdbool.h>

/* Swap the functions of modules that are loaded; again, for those that have been loaded since.
 * After sg_contention_prepare. */
void sg_other_waits_install(void);
/* Put them back. Threads may be inside: they go on, and tell nothing. */
void sg_other_waits_remove(void);
bool sg_other_waits_are_installed(void); /* any thread */

/* A forked child: as removed. Between fork and its return, in the child. */
void sg_other_waits_after_fork_in_child(void);

#endif
