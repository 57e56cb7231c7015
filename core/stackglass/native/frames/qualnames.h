/* Qualified names of code objects for 3.9 and 3.10, whose code objects have none: recovered by
 * looking through their module for the function that each belongs to. */
#ifndef STACKGLASS_FRAMES_QUALNAMES_H
#define STACKGLASS_FRAMES_QUALNAMES_H

#include <stddef.h>

struct sg_wanted_name {
    const void *code;   /* borrowed: alive while the GIL is held */
    const char *module; /* where it is likely to be found; borrowed from the caller */
    char *qualname;     /* out: malloc'ed, NULL = not found */
};

/* Fill in what can be found, within a bounded number of objects looked at. Caller holds the GIL;
 * runs no Python code. */
void sg_qualnames_find(struct sg_wanted_name *wanted, size_t n);

#endif
