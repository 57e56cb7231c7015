/* GOT slot: redirects one function that the interpreter itself imports, and restores it.
 * got_patch.h does this for all other libraries. */
#ifndef STACKGLASS_INTERPRETER_GOT_SLOT_H
#define STACKGLASS_INTERPRETER_GOT_SLOT_H

#include <stdbool.h>
#include <stdint.h>

enum { SG_MOST_ENTRIES = 4 }; /* of one function in one table */

struct sg_got_slot {
    const char *name;
    void *hook;
    void *original; /* that other libraries are bound to; found when it is patched */

    /* What was changed. The interpreter is never unloaded. */
    uint32_t n_entries;
    void **slots[SG_MOST_ENTRIES];
    void *originals[SG_MOST_ENTRIES];
};

/* Redirect it. NULL, or one sentence, and then nothing has been changed. Waits while a library is
 * being loaded, so call it without the GIL. sg_python_symbols is filled. */
const char *sg_got_slot_patch(struct sg_got_slot *import);

/* Redirect it again where the loader's first look-up has overwritten the entry meanwhile. Now and
 * then, by one thread. */
void sg_got_slot_maintain(struct sg_got_slot *import);

/* Restore it where it is still redirected. Any thread, also in a forked child. */
void sg_got_slot_restore(struct sg_got_slot *import);

#endif
