/* GOT slot: redirects one function that the interpreter itself imports, and restores it.
 * got_patch.h does this for all other libraries. */
#ifndef STACKGLASS_INTERPRETER_GOT_SLOT_H
#define STACKGLASS_INTERPRETER_GOT_SLOT_H

#include <stdbool.h>
#include <stdint.h>

enum { SG_MOST_ENTRIES = 4 }; /* entries of one function in the interpreter's table */

struct sg_got_slot {
    const char *name;
    void *hook;
    void *original; /* the function that `name` finds in this process; set by the patch */

    /* The redirected entries and their previous values. The interpreter is never unloaded. */
    uint32_t n_entries;
    void **slots[SG_MOST_ENTRIES];
    void *originals[SG_MOST_ENTRIES];
};

/* Redirect the function. Returns NULL, or one sentence that says why it was not redirected; then
 * nothing has been changed. Waits while a library is being loaded, so it is called without the GIL.
 * sg_python_symbols_find has succeeded. */
const char *sg_got_slot_patch(struct sg_got_slot *import);

/* Redirect the function again in entries that the loader has overwritten when it resolved them. One
 * thread calls this now and then. */
void sg_got_slot_maintain(struct sg_got_slot *import);

/* Restore the entries that are still redirected. Any thread, also in a forked child. */
void sg_got_slot_restore(struct sg_got_slot *import);

#endif
