/* GOT patch: redirects functions that the loaded libraries import by name, and restores them.
 *
 *     numpy's table │ malloc │ free │ cos │ …          libc
 *                       │       └────────────────────▶ free
 *                       └──▶ the engine's hook ──────▶ malloc
 *
 * The interpreter, the C runtime, the library that provides malloc and the engine are left alone.
 * An entry is redirected only if it holds the function that the engine itself is bound to, so that
 * a caller still reaches the same function; an entry redirected by another tool stays as it is.
 *
 * All work is done under the loader's lock, so that no library is unloaded meanwhile. Entries are
 * found anew each time, because a library may have been unloaded since. */
#ifndef STACKGLASS_INTERPRETER_GOT_PATCH_H
#define STACKGLASS_INTERPRETER_GOT_PATCH_H

#include <stdbool.h>
#include <stdint.h>

/* A function to redirect. */
struct sg_got_import {
    const char *name;
    void *hook;
    void *original; /* that the engine is bound to; NULL = there is none, and nothing is changed */
    void *alias;    /* another address of it, or NULL */
};

/* Redirect `imports`: owned by the caller, constant, ended by an entry without a name. Blocks while
 * a library is being loaded or unloaded. NULL, or one sentence. */
const char *sg_got_patch_apply(const struct sg_got_import *imports);

/* Scan libraries loaded since, and those that were still being loaded. Several times a second, by
 * one thread. Returns at once if there are none, or if another call is at work. */
void sg_got_patch_maintain(void);

/* Restore every entry that still holds the engine's function. */
void sg_got_patch_restore(void);

/* The same in a forked child, without the loader's lock, which another thread of the parent may
 * have held. */
void sg_got_patch_restore_in_child(void);

/* Store `value` into an entry that holds `expected`; another entry stays as it is. A read-only page
 * is made writable for the store. False if that fails. Any thread. */
bool sg_got_patch_store(void **slot, void *expected, void *value);

/* Results of the last scan. */
struct sg_got_patch_status {
    uint32_t n_libraries;  /* libraries with redirected entries */
    uint32_t n_redirected; /* entries */
    uint32_t n_foreign;    /* entries redirected by another tool: left alone */
    uint32_t n_postponed;  /* entries of a library that is being loaded, or left writable */
    uint32_t n_refused;    /* entries that cannot be changed, or that exceed the list */
};
void sg_got_patch_status(struct sg_got_patch_status *status);

#endif
