/* Qualified names for 3.9 and 3.10, where code objects have none: recovered by a search through the
 * module for the function of each code object. */
#ifndef STACKGLASS_FRAMES_QUALNAMES_H
#define STACKGLASS_FRAMES_QUALNAMES_H

#include <stddef.h>

struct sg_wanted_name {
    const void *code;   /* borrowed: alive while the GIL is held */
    const char *module; /* to be searched; borrowed from the caller */
    char *qualname;     /* out: malloc'ed, NULL = not found */
};

/* Fill in the names found in a bounded search. Caller holds the GIL; runs no Python code. */
void sg_qualnames_find(struct sg_wanted_name *wanted, size_t n);

#endif
