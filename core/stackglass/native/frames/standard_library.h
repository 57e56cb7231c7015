/* What belongs to the standard library, by where its files are. Needs the GIL to be prepared. */
#ifndef STACKGLASS_FRAMES_STANDARD_LIBRARY_H
#define STACKGLASS_FRAMES_STANDARD_LIBRARY_H

#include <stdbool.h>

/* Learn where it is, as this interpreter has it. */
void sg_standard_library_prepare(void);
/* A file as code objects tell it. Where the library is not known, only what is frozen into the
 * interpreter. */
bool sg_standard_library_has_file(const char *file);
/* A class by its full name, "logging.StreamHandler", if its package is loaded. Caller holds the
 * GIL. */
bool sg_standard_library_has_class(const char *name);

#endif
