/* Import tables of the loaded libraries: what they call by name is led through us, and back.
 *
 *     numpy's table │ malloc │ free │ cos │ …          libc
 *                       │       └────────────────────▶ free
 *                       └──▶ ours ───────────────────▶ malloc
 *
 * Left alone are the object that holds the interpreter, the C runtime, whoever provides malloc,
 * and we. An entry is changed only if it holds what we would call ourselves, so that who calls
 * reaches the same function as ever; what another tool has put there stays there.
 *
 * All is done under the loader's lock, so that no library goes meanwhile, and entries are found
 * anew each time: nothing is kept of one that may be gone. */
#ifndef STACKGLASS_INTERPRETER_GOT_PATCH_H
#define STACKGLASS_INTERPRETER_GOT_PATCH_H

#include <stdbool.h>
#include <stdint.h>

/* A function to lead through us. */
struct sg_got_import {
    const char *name;
    void *ours;
    void *theirs; /* as we are bound to it; NULL = there is none here, nothing is changed */
    void *also;   /* the same function by another address, or NULL */
};

/* Change the tables; `imports`, of which the entry without a name is the last, stays the caller's
 * and constant. Blocks while a library is being added or removed. NULL, or one sentence. */
const char *sg_got_patch_apply(const struct sg_got_import *imports);

/* Look for libraries that have come since, and for those whose loading was not finished. Several
 * times a second; any one thread. Returns at once if there are none, or another call is at work. */
void sg_got_patch_maintain(void);

/* Back to what they were, wherever they are still ours. */
void sg_got_patch_restore(void);

/* The same in a forked child, whose only thread this is: without the loader's lock, which another
 * thread may have held. */
void sg_got_patch_restore_in_child(void);

/* Put `value` into an entry that holds `expected`; what holds something else stays. A page that is
 * read-only is opened for that one store. False if it cannot be. Any thread. */
bool sg_got_patch_store(void **slot, void *expected, void *value);

/* Of the last look. */
struct sg_got_patch_status {
    uint32_t n_libraries; /* with entries that are ours */
    uint32_t n_ours;      /* entries */
    uint32_t n_foreign;   /* that lead to somebody else's function: left alone */
    uint32_t n_postponed; /* whose library is still being loaded, or left writable by others */
    uint32_t n_refused;   /* that could not be changed, or found no room in our list */
};
void sg_got_patch_status(struct sg_got_patch_status *status);

#endif
