/* A str copied as UTF-8 without an allocation: ten thousand names are copied in one hold of the
 * GIL.
 */
#ifndef STACKGLASS_THREADS_TEXT_COPY_H
#define STACKGLASS_THREADS_TEXT_COPY_H

#include <Python.h>

#include <stddef.h>

enum {
    SG_MOST_CHARACTERS = 200,
    SG_TEXT_COPY_BYTES = 4 * SG_MOST_CHARACTERS + 8, /* room for them, and a NUL */
};

/* The first SG_MOST_CHARACTERS of it; what UTF-8 cannot say is '?'. Caller holds the GIL. */
void sg_text_copy_put(PyObject *string, char text[SG_TEXT_COPY_BYTES]);

#endif
