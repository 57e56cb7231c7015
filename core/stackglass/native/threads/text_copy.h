/* Copy of a str as UTF-8 without an allocation, so that ten thousand names can be copied in one
 * hold of the GIL. */
#ifndef STACKGLASS_THREADS_TEXT_COPY_H
#define STACKGLASS_THREADS_TEXT_COPY_H

#include <Python.h>

#include <stddef.h>

enum {
    SG_MOST_CHARACTERS = 200,
    /* four bytes of UTF-8 for each character, then a NUL */
    SG_TEXT_COPY_BYTES = 4 * SG_MOST_CHARACTERS + 8,
};

/* Copy the first SG_MOST_CHARACTERS of `string`, NUL-terminated; a lone surrogate becomes '?'. The
 * caller holds the GIL. */
void sg_text_copy_put(PyObject *string, char text[SG_TEXT_COPY_BYTES]);

#endif
