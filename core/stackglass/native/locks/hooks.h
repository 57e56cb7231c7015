/* Patches of the methods of locks. They cover all locks, also those made before the attach.
 *
 *     sg_contention_prepare ─▶ install ─▶ … rates … learn … ─▶ remove ─▶ sg_contention_unprepare
 *
 * All calls need the GIL unless they say otherwise. */
#ifndef STACKGLASS_LOCKS_HOOKS_H
#define STACKGLASS_LOCKS_HOOKS_H

#include <stdbool.h>

#include "locks/destroyed.h"
#include "locks/waits.h"

/* Patch the methods. Returns NULL, or one sentence that says why it failed; then nothing has
 * changed. */
const char *sg_lock_hooks_install(void);
/* Restore the methods. Calls under way continue in the original, and are not recorded. */
void sg_lock_hooks_remove(void);
bool sg_lock_hooks_are_installed(void); /* any thread */

/* Return the type, borrowed; NULL while the hooks are not installed, or if the program has not
 * loaded the type. */
PyTypeObject *sg_lock_hooks_type(enum sg_lock_type which);

/* Patch types whose modules were loaded since the last call (_queue). Takes a microsecond if there
 * is none. */
void sg_lock_hooks_learn(void);

/* Remove the hooks in a forked child, before fork returns. */
void sg_lock_hooks_after_fork_in_child(void);

/* Return how a free lock is recognised: "state word", "try first", or "" while the hooks are not
 * installed. Any thread. */
const char *sg_lock_hooks_source(void);

#endif
