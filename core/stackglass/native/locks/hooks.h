/* Locks' methods, led through us: every lock there is, also those made before we came.
 *
 *     sg_contention_prepare ─▶ install ─▶ … rates … learn … ─▶ remove ─▶ sg_contention_unprepare
 *
 * All calls need the GIL unless they say otherwise. */
#ifndef STACKGLASS_LOCKS_HOOKS_H
#define STACKGLASS_LOCKS_HOOKS_H

#include <stdbool.h>

#include "locks/destroyed.h"
#include "locks/waits.h"

/* Swap the methods. NULL, or one sentence that says why not, and then nothing has been changed. */
const char *sg_lock_hooks_install(void);
/* Put them back. Threads may be inside: they go on through the original, and tell nothing. */
void sg_lock_hooks_remove(void);
bool sg_lock_hooks_are_installed(void); /* any thread */

/* The type itself, borrowed; NULL while not installed, or if the program has not loaded it. */
PyTypeObject *sg_lock_hooks_type(enum sg_lock_type which);

/* Modules may be loaded later (_queue): from time to time. A microsecond if nothing is new. */
void sg_lock_hooks_learn(void);

/* A forked child: as removed. Between fork and its return, in the child. */
void sg_lock_hooks_after_fork_in_child(void);

/* How locks are looked at: "state word", "try first"; "" while not installed. Any thread. */
const char *sg_lock_hooks_source(void);

#endif
