/* GOT patch: redirects functions that the loaded libraries import by name, and restores them.
 *
 *     numpy's table │ malloc │ free │ cos │ …          libc
 *                       │       └────────────────────▶ free
 *                       └──▶ the engine's hook ──────▶ malloc
 *
 * A library's global offset table (GOT) has an entry for each import. The tables of the
 * interpreter, the C runtime, the library that provides malloc and the engine are left alone. An
 * entry is redirected only if it holds the function that the engine itself is bound to, so that a
 * caller still reaches the same function; an entry redirected by another tool stays as it is.
 *
 * All work is done with the loader's lock held, so that no library is unloaded meanwhile. Entries
 * are found anew each time, because a library may have been unloaded since the last time. */
#ifndef STACKGLASS_INTERPRETER_GOT_PATCH_H
#define STACKGLASS_INTERPRETER_GOT_PATCH_H

#include <stdbool.h>
#include <stdint.h>

/* A function to redirect. */
struct sg_got_import {
    const char *name;
    void *hook;
    void *original; /* the function that the engine is bound to; NULL = there is none: skip it */
    void *alias;    /* another address of the same function, or NULL */
};

/* Redirect `imports`, which the caller owns and does not change; an element without a name ends the
 * array. Blocks while a library is being loaded or unloaded. Returns NULL, or one sentence that
 * says why nothing was redirected. */
const char *sg_got_patch_apply(const struct sg_got_import *imports);

/* Scan libraries that were loaded since the last scan, or were still being loaded then. One thread
 * calls this several times a second. Returns at once if there are no such libraries, or if another
 * call is at work. */
void sg_got_patch_maintain(void);

/* Restore every entry that still holds the engine's function. */
void sg_got_patch_restore(void);

/* As sg_got_patch_restore, in a forked child: without the loader's lock, which another thread of
 * the parent may have held. */
void sg_got_patch_restore_in_child(void);

/* Store `value` into the entry at `slot` if it holds `expected`. A read-only page is made writable
 * for the store; returns false if that fails. Any thread. */
bool sg_got_patch_store(void **slot, void *expected, void *value);

/* Results of the last scan. */
struct sg_got_patch_status {
    uint32_t n_libraries;  /* libraries with redirected entries */
    uint32_t n_redirected; /* entries that are redirected */
    uint32_t n_foreign;    /* entries that another tool has redirected: they are left alone */
    uint32_t n_postponed;  /* entries that the loader may still be changing */
    uint32_t n_refused;    /* entries that cannot be changed, or that exceed the list */
};
void sg_got_patch_status(struct sg_got_patch_status *status);

#endif
