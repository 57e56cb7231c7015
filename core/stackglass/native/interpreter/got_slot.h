/* One function that the interpreter itself calls by name, led through us and back. The tables of
 * all other libraries are got_patch.h's. */
#ifndef STACKGLASS_INTERPRETER_GOT_SLOT_H
#define STACKGLASS_INTERPRETER_GOT_SLOT_H

#include <stdbool.h>
#include <stdint.h>

enum { SG_MOST_ENTRIES = 4 }; /* of one function in one table */

struct sg_got_slot {
    const char *name;
    void *ours;
    void *theirs; /* as everybody is bound to it; found by lead */

    /* What was changed. The interpreter is never unloaded. */
    uint32_t n_entries;
    void **slots[SG_MOST_ENTRIES];
    void *originals[SG_MOST_ENTRIES];
};

/* NULL, or one sentence, and then nothing has been changed. Waits while a library is being loaded;
 * so without the GIL. sg_python_symbols is known. */
const char *sg_got_slot_patch(struct sg_got_slot *import);

/* An entry that was being looked up for the first time just when it was changed has lost what we
 * put there: put it there again. Now and then, any one thread. */
void sg_got_slot_maintain(struct sg_got_slot *import);

/* Back to what it was, where it is still ours. Any thread, also in a forked child. */
void sg_got_slot_restore(struct sg_got_slot *import);

#endif
