/* Standard library: whether a file or a class belongs to it, by the file's path. */
#ifndef STACKGLASS_FRAMES_STANDARD_LIBRARY_H
#define STACKGLASS_FRAMES_STANDARD_LIBRARY_H

#include <stdbool.h>

/* Find the library's directory. The caller holds the GIL. */
void sg_standard_library_prepare(void);
/* Does `file`, a code object's co_filename, belong to the library? If the directory is not known,
 * only modules frozen into the interpreter do. */
bool sg_standard_library_has_file(const char *file);
/* Does the class with the full name `name`, such as "logging.StreamHandler", belong to the library?
 * Returns false if its package is not loaded, or has no file, as built-in modules. The caller holds
 * the GIL. */
bool sg_standard_library_has_class(const char *name);

#endif
