/* Qualified names in 3.9 and 3.10, whose code objects have no co_qualname: a search through each
 * module finds the function of a code object, and with it the name. */
#ifndef STACKGLASS_FRAMES_QUALNAMES_H
#define STACKGLASS_FRAMES_QUALNAMES_H

#include <stddef.h>

struct sg_wanted_name {
    const void *code;   /* borrowed: alive while the GIL is held */
    const char *module; /* the module to search, borrowed; NULL = none */
    char *qualname;     /* out: malloc'ed, NULL = not found */
};

/* Fill in the names that a bounded search finds, and sort `wanted` by code object. The caller holds
 * the GIL; no Python code runs. */
void sg_qualnames_find(struct sg_wanted_name *wanted, size_t n);

#endif
