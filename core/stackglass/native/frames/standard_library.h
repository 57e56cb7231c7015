/* Standard library: whether a file or a class belongs to it, by the file's path. */
#ifndef STACKGLASS_FRAMES_STANDARD_LIBRARY_H
#define STACKGLASS_FRAMES_STANDARD_LIBRARY_H

#include <stdbool.h>

/* Find its directory. Caller holds the GIL. */
void sg_standard_library_prepare(void);
/* `file` is a code object's co_filename. If the directory is not known, only modules frozen into
 * the interpreter belong to the library. */
bool sg_standard_library_has_file(const char *file);
/* A class by its full name, such as "logging.StreamHandler"; its package must be loaded. Caller
 * holds the GIL. */
bool sg_standard_library_has_class(const char *name);

#endif
