/* The standard library is the directory of os.py, without its site-packages and dist-packages. */
#include "frames/standard_library.h"

#include <stdlib.h>
#include <string.h>

#include "interpreter/python_text.h"

static char folder[512]; /* ends in a slash; "" = not known. Written with the GIL held */

void sg_standard_library_prepare(void) {
    char *file = sg_python_text_copy(sg_python_text_global("os", "__file__"));
    char *end = file ? strrchr(file, '/') : NULL;
    folder[0] = '\0';
    if (end && (size_t)(end + 1 - file) < sizeof folder) {
        end[1] = '\0';
        strcpy(folder, file);
    }
    free(file);
}

bool sg_standard_library_has_file(const char *file) {
    static const char FROZEN[] = "<frozen ";
    size_t size = strlen(folder);
    if (!strncmp(file, FROZEN, strlen(FROZEN)))
        return true;
    return size && !strncmp(file, folder, size) && !strstr(file + size, "site-packages/") &&
           !strstr(file + size, "dist-packages/");
}

bool sg_standard_library_has_class(const char *name) {
    char package[64];
    size_t size = strcspn(name, ".");
    if (size >= sizeof package)
        return false;
    memcpy(package, name, size);
    package[size] = '\0';
    char *file = sg_python_text_copy(sg_python_text_global(package, "__file__"));
    bool is_library = file && sg_standard_library_has_file(file);
    free(file);
    return is_library;
}
