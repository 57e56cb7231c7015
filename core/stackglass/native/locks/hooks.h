/* Patches of locks' methods: all locks are covered, also those made before the attach.
 *
 *     sg_contention_prepare ─▶ install ─▶ … rates … learn … ─▶ remove ─▶ sg_contention_unprepare
 *
 * All calls need the GIL unless they say otherwise. */
#ifndef STACKGLASS_LOCKS_HOOKS_H
#define STACKGLASS_LOCKS_HOOKS_H

#include <stdbool.h>

#include "locks/destroyed.h"
#include "locks/waits.h"

/* Patch the methods. NULL, or one sentence that says why not; then nothing has changed. */
const char *sg_lock_hooks_install(void);
/* Restore them. Calls under way continue in the original, unrecorded. */
void sg_lock_hooks_remove(void);
bool sg_lock_hooks_are_installed(void); /* any thread */

/* The type itself, borrowed; NULL while not installed, or if the program has not loaded it. */
PyTypeObject *sg_lock_hooks_type(enum sg_lock_type which);

/* Patch types whose modules were loaded since (_queue). A microsecond if nothing is new. */
void sg_lock_hooks_learn(void);

/* In a forked child, before fork returns: as remove. */
void sg_lock_hooks_after_fork_in_child(void);

/* How a free lock is recognised: "state word", "try first"; "" while not installed. Any thread. */
const char *sg_lock_hooks_source(void);

#endif
